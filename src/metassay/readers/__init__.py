"""Files in, scores out, and back: one module per format, recognised by content.

Nothing heavy is imported until a file is read, so the names of the formats are cheap to list.
"""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any

from metassay.core import options as opt
from metassay.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from metassay.core.scores import Scores
    from metassay.core.votes import Votes

__all__ = ["FORMATS", "example", "read", "read_tasks", "read_votes"]

FORMATS = {
    "tidy": "One score per row: system, input, metric, score (CSV, TSV, JSON lines or Parquet).",
    "wide": "One row per input, or per system and input, one column per metric (CSV, TSV, JSON lines or Parquet).",
    "xlsx": "The same on the first sheet of an Excel file.",
    "sacrerouge": "SacreROUGE metrics: JSON lines with instance_id, summarizer_id and nested metrics.",
    "summeval": "SummEval annotations: JSON lines with id, model_id and expert_annotations.",
    "realsumm": "REALSumm score dictionaries: a pickle, read without running anything in it.",
    "mt-metrics-eval": "A data set of mt-metrics-eval: a directory with human-scores/ and metric-scores/.",
    "wmt": "WMT metrics task: METRIC.seg.score, METRIC.sys.score, or system scores under LP HUMAN SYSTEM.",
    "mqm": "MQM ratings of WMT: a TSV with a row per error (system, doc, seg_id, rater, category, severity).",
    "g-eval": "G-Eval and UniEval: a JSON array with system_output and scores.",
    "frank": "FRANK: JSON arrays with hash and model_name.",
    "mteb-summeval": "SummEval as MTEB keeps it: one row per document, lists of judgments.",
    "summary-translation": "Scores by language pair of Braun et al. (2022): JSON objects with keys such as en^de.",
    "lm-eval": "Samples that lm-evaluation-harness logs: JSON lines with doc_id, filter and metrics.",
    "inspect": "An Inspect log, .eval or JSON: samples with scores.",
    "helm": "HELM: per_instance_stats.json of a run.",
    "promptfoo": "promptfoo: the JSON that an evaluation writes.",
    "deepeval": "DeepEval: the JSON of a test run, testCases with metricsData.",
    "label-studio": "Label Studio: the JSON export, tasks with annotations.",
    "judge-bench": "JUDGE-BENCH: a JSON object with instances and their human annotations.",
    "alt-test": "Labels as the alt-test keeps them: a JSON object {annotator: {item: label}} of people.",
    "alt-test-judges": "The same for models, {judge: {item: label}}; taken for judge=FILE.",
    "votes": "Votes: two systems and a winner (model_a, model_b, winner; left, right, winner; …).",
    "llmbar": "Votes of LLMBar: output_1, output_2 and a label, and a judge's verdicts in both orders.",
    "pandalm": "Votes of PandaLM: three people on each pair, or a judge's verdicts by idx.",
}
"""The formats that can be read, with a sentence each."""


def read(
    *paths: str | PathLike[str],
    format: opt.InputFormat = None,
    language: opt.Language = None,
    system_column: opt.SystemColumn = None,
    input_column: opt.InputColumn = None,
    annotator_column: opt.AnnotatorColumn = None,
    no_systems: opt.NoSystems = False,
    ignore: opt.Ignore = None,
    people: opt.People = None,
    scale: opt.ScaleOf = None,
    cluster_by: opt.ClusterBy = None,
    family_of: opt.FamilyOf = None,
    select: opt.Select = None,
    drop_systems: opt.DropSystems = None,
    human: str | Iterable[str] = (),
    metric: str | Iterable[str] = (),
    by: str | None = None,
    texts: str | Iterable[str] = (),
) -> Scores:
    """Read scores and labels from files and directories, and merge them on system and input.

    Parameters
    ----------
    *paths
        Files in any known format (plain or gzip), directories of such files, or mt-metrics-eval data sets.
        ``human=FILE`` and ``judge=FILE`` say whose judgments a file holds.
    format
        One of :data:`FORMATS`; by default each file's content decides.
    language
        The language pair to take from WMT files and mt-metrics-eval data sets that hold several, such as
        ``"en-de"``; the language to take from tables that have a language column.
    system_column, input_column, annotator_column
        Columns of tables, by name; a comma list joins several. By default columns are known by common names such as
        ``model`` or ``doc_id``, if only one of them is there; the origin in ``sources`` says which were taken.
    no_systems
        Whether the data have no systems: one row per input. So are tables that have no column of systems.
    ignore
        Names or globs of columns to leave out.
    people
        Globs of columns that are the annotators of one human criterion, such as ``"annotator_*"``.
    scale
        Scales by column, such as ``{"grade": "ordinal:bad<ok<good"}``; columns that share labels share their order.
    cluster_by
        A column that groups the inputs, such as the document.
    family_of
        A column that names families of systems, or patterns such as ``["openai=gpt-*"]``.
    select, drop_systems
        Which part to take: texts such as ``"systems=gpt-*"`` or ``"category=faq"``, and systems to leave out.
    human, metric
        Names or globs of columns; those of people become human, and texts in both are labels.
    by
        A further column of tables that distinguishes scores of one cell, such as the version of a judge; it is kept in
        place of the language, for ``metassay.survive(scores, by=…)``.
    texts
        Columns that are attributes even if they hold numbers, such as a year to slice by.

    Returns
    -------
    Scores
        With each file in ``sources``, and the format that was recognised.

    Raises
    ------
    FormatError
        A file is not what it should be; the message names the file, the line and the field.
    Contradiction
        Two places give different scores for the same cell.
    UsageError
        A path, a format or a language does not exist.
    """
    from metassay.core.declaring import selected
    from metassay.core.reading import Reading, as_names
    from metassay.readers.recognition import read_all

    reading = Reading.of(
        system_column=system_column,
        input_column=input_column,
        annotator_column=annotator_column,
        no_systems=no_systems,
        ignore=ignore,
        people=people,
        scale=scale,
        cluster_by=cluster_by,
        family_of=family_of,
        human=human,
        metric=metric,
        select=select,
        by=by,
        texts=texts,
    )
    scores = read_all(paths, format=format, language=language, reading=reading, columns=as_names(metric))
    scores = scores.declare(human=human, cluster_by=cluster_by, family_of=family_of)
    return selected(scores, select or (), drop_systems or ())


def read_tasks(*paths: str | PathLike[str], language: str = "*", **options: Any) -> dict[str, Scores]:  # noqa: ANN401
    """Read the scores of several languages or language pairs, each by itself, for :func:`metassay.leaderboard`.

    Parameters
    ----------
    *paths
        As for :func:`read`.
    language
        A comma list of languages or language pairs, or ``*`` for all that the files hold.
    **options
        The other options of :func:`read`.

    Returns
    -------
    dict
        Scores by language pair.
    """
    from metassay.core.reading import Reading
    from metassay.core.vocabulary import names
    from metassay.readers.recognition import languages_in

    wanted = names(language)
    if "*" in wanted:
        found = languages_in(paths, format=options.get("format"), reading=Reading.of())
        if not found:
            raise DataError("the files do not name languages; leave --language out, or name tasks with --by COLUMN")
        wanted = found
    return {each: read(*paths, language=each, **options) for each in wanted}


def read_votes(
    *paths: str | PathLike[str],
    input_column: opt.InputColumn = None,
    annotator_column: opt.AnnotatorColumn = None,
    ignore: opt.Ignore = None,
    select: opt.Select = None,
    drop_systems: opt.DropSystems = None,
) -> Votes:
    """Read votes, each for one of two outputs, from files and directories.

    Parameters
    ----------
    *paths
        Tables with two systems and a winner (``model_a, model_b, winner``; ``left, right, winner``; ``output_1,
        output_2, preference``), LLMBar's files, PandaLM's, AlpacaEval's, MT-bench's. ``human=FILE`` and ``judge=FILE``
        say whose votes a file holds.
    input_column, annotator_column
        Columns that name the input and the rater; a comma list joins several.
    ignore
        Names of columns to leave out.
    select, drop_systems
        Which part to take: texts such as ``raters=anna``, ``inputs=faq-*`` or ``systems=gpt-*`` (both systems of a
        vote), or of a column of the file, that must all hold; and systems to leave out.
    """
    from metassay.core.declaring import selected_votes
    from metassay.core.reading import Reading
    from metassay.readers.votes import read_votes

    reading = Reading.of(input_column=input_column, annotator_column=annotator_column, ignore=ignore)
    return selected_votes(read_votes(paths, reading), select or (), drop_systems or ())


def example(name: str = "scores") -> Scores:
    """Return example data that ship with the package; they are synthetic.

    Parameters
    ----------
    name
        ``scores``: 14 systems on 80 texts, eight metrics and three annotators. ``judge``: verdicts and grades of three
        people and two judges on the answers of four models to 150 questions.

    Examples
    --------
    >>> example().shape, example("judge").shape
    ((14, 80), (4, 150))
    """
    from importlib.resources import as_file, files

    from metassay.core.ledger import Ledger
    from metassay.core.origin import Origin
    from metassay.core.vocabulary import choice
    from metassay.readers import tables
    from metassay.readers.source import Source

    file = {"scores": "example.csv", "judge": "judge.csv"}[choice("example", name, ("scores", "judge"))]
    kind = "tidy" if name == "scores" else "wide"
    with as_file(files("metassay").joinpath("data", file)) as path:
        ledger = Ledger()
        tables.record(Source(path), ledger, kind)
    return ledger.scores(sources=(Origin(file, f"{kind} CSV, synthetic"),))
