"""From files to a study to its output: what all study commands do alike."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metassay.cli import options
from metassay.errors import MetassayError, UsageError, one_line

if TYPE_CHECKING:
    from metassay.core.result import Result
    from metassay.core.scores import Scores
    from metassay.core.votes import Votes


def run_study(
    arguments: argparse.Namespace,
    verb: str,
    read: Callable[[argparse.Namespace], object] | None = None,
    leave_out: Iterable[str] = (),
    gate: Callable[[Any], int] | None = None,
    shown: str | None = None,
    **more: object,
) -> int:
    """Read the files, run a study with the options that were given, and put out its result.

    Parameters
    ----------
    arguments
        The parsed command line.
    verb
        The public name of the study, whose first argument is the scores.
    read
        What reads them, if that is not :func:`read_scores`.
    leave_out
        Options of the study that mean something else here.
    gate
        From the result to an exit code.
    shown
        The study whose views and figures the result has, if that is not the verb's.
    more
        What the study takes beside its options.
    """
    from metassay import HOMES
    from metassay.cli.progress import progress

    chosen = options.given(arguments, options.taken_by(verb), leave_out)
    place = placed(arguments)
    sliced = "by" in chosen and "by" not in options.of(verb)
    output = Output.of(arguments, shown or verb.replace("_", "-"), sliced=sliced)
    study = getattr(import_module(HOMES[verb]), verb)
    scores = (read or read_scores)(arguments)
    with progress(arguments.quiet), place:
        result = study(scores, **{**more, **chosen})
    output.put(result)
    return 0 if gate is None else gate(result)


def placed(arguments: argparse.Namespace) -> AbstractContextManager[None]:
    """Return a context in which heavy work runs where --cluster, --workers and --checkpoint say."""
    wanted = options.given(arguments, options.places())
    if not wanted:
        return nullcontext()
    from metassay import engine

    return engine.on(**wanted)


# -- in -----------------------------------------------------------------------------------------


def read_scores(arguments: argparse.Namespace, paths: list[str] | None = None, by: str | None = None) -> Scores:
    """Read and merge the files, or others without people, declare what the options say, and tell what was found."""
    from metassay.readers import read

    named = arguments.files if paths is None else paths
    if not named:
        raise UsageError("no file given; name at least one file with scores, or - for stdin")
    with spooled(named) as files:
        people = arguments.human if paths is None else None
        more: dict[str, Any] = {"human": people or (), "metric": getattr(arguments, "metric", None) or (), "by": by}
        if by is None and getattr(arguments, "by", None):
            more["texts"] = (arguments.by,)
        scores = read(*files, **more, **options.given(arguments, options.of("read")))
    scores = scores.declare(lower_is_better=arguments.lower_is_better or ())
    tell_what_was_read(scores, arguments.quiet)
    return scores


def read_votes_or_scores(arguments: argparse.Namespace) -> Scores | Votes:
    """Read votes if the files hold such, and scores if not."""
    with spooled(arguments.files) as arguments.files:
        votes = votes_in(arguments)
        if votes is None:
            return read_scores(arguments)
    if not arguments.quiet:
        say(describe(votes))
    return votes


def votes_in(arguments: argparse.Namespace) -> Votes | None:
    """Return the votes in the files; None if none of them holds any."""
    from metassay.readers import read_votes

    if not hold_votes(arguments):
        return None
    known = options.of("read_votes")
    # families matter to one study of votes, which reads them itself
    spare = {"format", "family_of"} if hasattr(arguments, "own_family") else {"format"}
    unfit = options.given(arguments, options.of("read"), leave_out={*known, *spare})
    if getattr(arguments, "lower_is_better", None):
        unfit["lower_is_better"] = True
    for name in unfit:
        raise UsageError(f"--{name.replace('_', '-')} cannot be used with votes")
    return read_votes(*arguments.files, **options.given(arguments, known))


def hold_votes(arguments: argparse.Namespace) -> bool:
    """Return whether one of the files holds votes, or is said to."""
    from metassay.readers import votes
    from metassay.readers.recognition import holds_votes

    if (said := getattr(arguments, "format_", None)) is not None and said not in votes.FORMATS:
        return False
    return any(holds_votes(name) for name in arguments.files if Path(name.partition("=")[2] or name).exists())


def tell_what_was_read(scores: Scores, quiet: bool, but: str = "") -> None:
    """Say how much there is, and what a reader must know of it, but for notes of one code."""
    if not quiet:
        from metassay.report.notes import sentences

        for line in (describe(scores), *sentences([note for note in scores.notes if note.code != but])):
            say(line)


def describe(scores: Scores | Votes) -> str:
    """Return what was read, in a line."""
    formats = dict.fromkeys(source.format for source in scores.sources)
    return f"read {_many(len(scores.sources), 'file', 'files')} ({', '.join(formats)}): {extent(scores)}"


def extent(scores: Scores | Votes) -> str:
    """Return how much there is: systems, inputs, metrics and human criteria, or raters."""
    from metassay.core.votes import Votes

    if isinstance(scores, Votes):
        labels = {"system": scores.systems, "input": scores.inputs, "rater": scores.raters}
        sizes = {"vote": len(scores), **{what: len(each) for what, each in labels.items()}}
        return ", ".join(_many(n, what, f"{what}s") for what, n in sizes.items())
    n, m = scores.shape
    return (
        (f"{_many(n, 'system', 'systems')} × " if scores.has_systems else "no systems, ")
        + f"{_many(m, 'input', 'inputs')}, "
        f"{_many(len(scores.metrics), 'metric', 'metrics')}, "
        f"{_many(len(scores.humans), 'human criterion', 'human criteria')}"
    )


def _many(n: int, one: str, more: str) -> str:
    return f"{n:,} {one if n == 1 else more}"


@contextmanager
def spooled(files: list[str]) -> Iterator[list[str]]:
    """Give stdin a name while it is read: formats are recognised by looking at a file more than once."""
    if "-" not in files:
        yield files
        return
    if sys.stdin is None:
        raise UsageError("stdin is closed; name a file instead of -")
    with tempfile.TemporaryDirectory(prefix="metassay-") as folder:
        spool = Path(folder) / "stdin"
        with spool.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        try:
            yield [str(spool) if name == "-" else name for name in files]
        except MetassayError as error:
            error.args = (str(error).replace(str(spool), "stdin"),)
            raise


# -- out ----------------------------------------------------------------------------------------


def say(line: str) -> None:
    """Write a line to stderr, which is where everything but results goes."""
    from metassay.report.encoding import fit

    if sys.stderr is not None:
        print(fit(line, sys.stderr.encoding or "ascii"), file=sys.stderr, flush=True)


@dataclass(frozen=True, slots=True)
class Output:
    """Where a result goes and in which form; whatever is wrong with that is known before any work is done."""

    format: str
    path: str | None
    view: str | None
    quiet: bool
    figure: str | None = None
    figure_kind: str | None = None
    figure_width: float | None = None
    rows: str | None = None
    safe: bool = False
    full: bool = False

    @classmethod
    def of(cls, arguments: argparse.Namespace, study: str, *, sliced: bool = False) -> Output:
        """Check the options on output; slices have one more table."""
        from metassay.charts import chart
        from metassay.core import vocabulary
        from metassay.core.files import check_writable
        from metassay.core.slices import BETWEEN
        from metassay.report import formats, views
        from metassay.report.data import result_of

        path = None if arguments.output == "-" else arguments.output
        files = getattr(arguments, "files", [])
        if path is None and sys.stdout is None:
            raise UsageError("stdout is closed; name a file with -o FILE")
        form = formats.choose(arguments.format, path)
        more = (BETWEEN,) if sliced else ()
        if arguments.view is not None:
            if form in formats.DATA:
                raise UsageError(f"--view cannot be used with --format {form}, which always holds all rows")
            vocabulary.choices("view", arguments.view, (*views.names_of(study), *more))
        rows = arguments.rows
        if rows is not None:
            if form != "csv":
                raise UsageError("--rows needs --format csv; JSON holds all tables, and --view chooses what is shown")
            vocabulary.choice("rows", rows, (*result_of(study).tables(), *more))
        safe = getattr(arguments, "safe_csv", False)
        if safe and form != "csv":
            raise UsageError("--safe-csv cannot be used without --format csv")
        if path is not None:
            spare_inputs(path, files)
            check_writable(path)
        # Only commands of studies that have a figure have these options.
        figure, kind, width = (getattr(arguments, f"figure{part}", None) for part in ("", "_kind", "_width"))
        for name, value in (("kind", kind), ("width", width)):
            if value is not None and figure is None:
                raise UsageError(f"--figure-{name} cannot be used without --figure FILE")
        points = None if width is None else chart.check_width(width)
        if figure is not None:
            study = "slices" if sliced else study
            chart.choose_kind(study, kind)
            if chart.check_suffix(figure) != "json":
                chart.require_converter()
            spare_inputs(figure, files, "--figure")
            check_writable(figure)
        return cls(form, path, arguments.view, arguments.quiet, figure, kind, points, rows, safe, arguments.full)

    def put(self, result: Result) -> None:
        """Write the result to its file, or to stdout, and its figure to another file."""
        self._put_text(result)
        if self.figure is not None:
            sys.stdout.flush()
            chart = result.plot(self.figure, kind=self.figure_kind, width=self.figure_width)
            tell_written(self.figure, self.quiet)
            if chart.omitted and not self.quiet:
                say(f"{one_line(self.figure)}: {one_line(chart.omitted, 300)}")

    def _put_text(self, result: Result) -> None:
        from metassay.report import formats

        settings: dict[str, Any] = {} if self.view is None else {"view": self.view}
        if self.rows is not None:
            settings["rows"] = self.rows
        if self.safe:
            settings["safe"] = True
        write = formats.FORMATS[self.format]
        if self.path is not None:
            write(result, self.path, **settings)
            tell_written(self.path, self.quiet)
        elif self.format == "table":
            show(result, full=self.full, **settings)
        else:
            if self.format == "html":
                settings["document"] = True
            put_bytes(write(result, **settings))


def show(result: Result, *, full: bool = False, **settings: Any) -> None:  # noqa: ANN401 - the renderer's options
    """Print a result as tables, in the width, colours and characters that stdout has: what fits a screen, or all."""
    from metassay.report import formats

    plain = not sys.stdout.isatty() or "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"
    sys.stdout.write(formats.to_text(result, color=not plain, full=full, **settings))


def tell(line: str = "") -> None:
    """Print a line of a result in words."""
    from metassay.report.encoding import fit

    print(fit(line, sys.stdout.encoding or "ascii"))


def put_bytes(text: str) -> None:
    """Write text to stdout as files have it: in UTF-8, whatever the terminal speaks."""
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
    sys.stdout.buffer.flush()


def tell_written(path: object, quiet: bool) -> None:
    """Say that a file was written."""
    if not quiet:
        say(f"wrote {one_line(path)}")


def check_page(path: str) -> None:
    """Refuse a name that no browser would open as a page; a device such as /dev/stdout may have any."""
    if not path.lower().endswith((".html", ".htm")) and not (Path(path).exists() and not Path(path).is_file()):
        raise UsageError(f"-o {one_line(path)!r} must end in .html")


def spare_inputs(path: str, files: list[str], option: str = "-o") -> None:
    """Refuse to write over a file that is read."""
    target = Path(path)
    for name in files:
        if name != "-" and target.exists() and Path(name).exists() and target.samefile(name):
            raise UsageError(f"{option} {one_line(path)!r} would overwrite a file that it reads; choose another name")
