import json

import numpy as np
import pytest

import metassay as ma


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(0)
    shape = (6, 15)
    quality = random.normal(size=shape)
    people = {"relevance": np.clip(np.round(3 + quality + random.normal(size=(2, *shape)) / 2), 1, 5)}
    metrics = {"one": quality + random.normal(size=shape), "two": quality + 2 * random.normal(size=shape)}
    ma.write(ma.Scores.from_arrays(metrics), "en.csv")
    ma.write(ma.Scores.from_arrays({n: v + 0.1 * random.normal(size=shape) for n, v in metrics.items()}), "es.csv")
    ma.write(ma.Scores.from_arrays({"zero": quality}, people), "human.jsonl")
    return tmp_path


def test_files_with_labels_and_people_beside_them(run, files):
    code, out, err = run("survive", "en=en.csv", "es=es.csv", "human.jsonl", "--resamples", 50, "--format", "json")
    assert code == 0, err
    answer = json.loads(out)
    assert answer["study"] == "survive"
    assert {row["language"] for row in answer["rows"]} == {"es"}
    assert {row["metric"] for row in answer["rows"]} == {"one", "two"}
    wanted = {"language", "human", "test", "margin", "margin_kind", "estimate_a", "estimate_b", "p_value"}
    assert wanted | {"equivalent", "equivalent_corrected"} <= answer["rows"][0].keys()


def test_the_round_trip_and_every_view(run, files):
    views = "summary,list,matrix,agreement,across,margins,sensitivity,dominance,components,references"
    code, out, err = run(
        "survive", "en=en.csv", "es=es.csv", "es-back=en.csv", "human.jsonl", "--resamples", 50, "--view", views
    )
    assert code == 0, err
    for title in (
        "Equivalence of agreement with people, by language",
        "Differences in agreement with people",
        "p of jackknife",
        "Correlation with people, Kendall c",
        "Correlation of each metric with itself at en",
        "Margins from annotators",
        "Sensitivity to the margin",
        "Order of metrics after the change",
        "Metrics and people on two components of ranks",
    ):
        assert title in out
    assert "shift" in out


def test_a_file_without_a_label_is_the_original(run, files):
    code, out, err = run("survive", "en.csv", "human.jsonl", "es=es.csv", "--resamples", 50, "--format", "csv")
    assert code == 0, err
    assert "original" in out.splitlines()[1]


def test_human_columns_of_wide_files_are_shared(run, files):
    lines = ["system,input,rating,judge"]
    lines += [f"s{s},i{i},{(s + i) % 5},{s * i % 7}" for s in range(5) for i in range(8)]
    (files / "a.csv").write_text("\n".join(lines))
    (files / "b.csv").write_text("\n".join(lines))
    code, out, err = run(
        "survive", "a=a.csv", "b=b.csv", "--human", "rating", "--resamples", 99, "--format", "json", "--test", "tost"
    )
    assert code == 0, err
    assert [row["p_value"] for row in json.loads(out)["rows"]] == [0.01]


def test_by_a_column_by_metric_and_wrong_names(run, files):
    lines = ["system,input,metric,score,version"]
    lines += [f"s{s},i{i},judge,{(s * i + v) % 7},v{v}" for s in range(5) for i in range(8) for v in (1, 2)]
    lines += [f"s{s},i{i},rating,{(s + i) % 5}," for s in range(5) for i in range(8)]
    (files / "judges.csv").write_text("\n".join(lines))
    code, out, err = run(
        "survive", "judges.csv", "--human", "rating", "--by", "version", "--baseline", "v2", "--resamples", 50
    )
    assert code == 0, err
    assert "people, by version\n" in out
    assert "τ_c" in out
    code, out, err = run("survive", "en.csv", "human.jsonl", "--by", "metric", "--resamples", 50, "--baseline", "two")
    assert code == 0, err
    assert "zero" in out
    code, _, err = run("survive", "judges.csv", "--human", "rating", "--by", "edition")
    assert code == 1
    assert "no table has a column 'edition'" in err
    code, _, err = run("survive", "judges.csv", "--human", "rating", "--by", "version", "--baseline", "v9")
    assert code == 2
    assert "v1" in err


def test_misuse_is_one_line(run, files):
    for argv, told in (
        (["=en.csv"], "LABEL=FILE"),
        (["en=en.csv", "-"], "stdin"),
        (["en=nowhere.csv", "es=es.csv"], "nowhere.csv"),
        (["en.csv", "human.jsonl"], "LANG=FILE"),
        (["en=en.csv", "es=es.csv", "human.jsonl", "--margin", "5"], "margin must lie in (0, 1)"),
        (["en=en.csv", "es=es.csv", "human.jsonl", "--margin-kind", "sdd"], "sd"),
        (["en=en.csv", "es=es.csv", "human.jsonl", "--resample", "words"], "points"),
    ):
        code, out, err = run("survive", "-q", *argv)
        assert code in (1, 2)
        assert out == ""
        assert told in err
        assert err.count("\n") == 1, err


def test_an_output_never_overwrites_what_it_reads(run, files):
    code, _, err = run("survive", "en=en.csv", "es=es.csv", "human.jsonl", "-o", "es.csv")
    assert code == 2
    assert "overwrite" in err


def test_all_tables_are_in_json_and_each_can_be_csv(run, files):
    options = ("survive", "en=en.csv", "es=es.csv", "human.jsonl", "--resamples", 50, "--quiet")
    code, out, err = run(*options, "--format", "json")
    assert code == 0, err
    answer = json.loads(out)
    assert list(answer) == ["study", "version", "signature", "rows", "tables", "values", "notes"]
    assert {(row["metric"], row["language"]) for row in answer["tables"]["agreement"]} == {
        (metric, language) for metric in ("one", "two") for language in ("en", "es")
    }
    code, out, err = run(*options, "--rows", "shifts", "--format", "csv")
    assert (code, out.splitlines()[0].split(",")[:3]) == (0, ["human", "statistic", "language"])
    for wrong, message in (
        (("--rows", "agreement"), "--rows needs --format csv"),
        (("--rows", "x", "-o", "x.csv"), "shifts"),
    ):
        code, out, err = run(*options, *wrong)
        assert (code, out) == (2, "")
        assert message in err
