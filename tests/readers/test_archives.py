"""Zip archives of tables, safe against paths that climb and small files that unpack to much; line ends of all kinds."""

from __future__ import annotations

import io
import zipfile

import pytest

import metassay as ma
from metassay.errors import DataError, FormatError
from metassay.readers.recognition import holds_votes


def packed(files):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return stream.getvalue()


def test_a_zip_is_the_tables_in_it(make):
    tables = {"people.csv": "system,input,human\na,1,3\nb,1,4\n", "bleu.csv": "system,input,bleu\na,1,0.3\nb,1,0.1\n"}
    inside = {f"run/{name}": text for name, text in tables.items()}
    path = make("all.zip", packed({**inside, "run/README.md": "# what this is", "__MACOSX/run/._bleu.csv": "junk"}))
    scores = ma.read(path)
    assert scores.matrix("bleu").tolist() == [[0.3], [0.1]]
    assert [origin.name for origin in scores.sources] == ["bleu.csv", "people.csv"]
    broken = make("broken.zip", packed({"run/bleu.csv": "system,input,bleu\na,1,x,3\n"}))
    with pytest.raises(FormatError, match=r"broken\.zip/bleu\.csv, line 2"):
        ma.read(broken)


def test_files_in_folders_of_a_zip_are_read_too(make):
    inside = {"top.csv": "system,input,human\na,1,3\n", "sub/deep/more.csv": "system,input,bleu\na,1,0.3\n"}
    scores = ma.read(make("all.zip", packed(inside)))
    assert (scores.matrix("human").item(), scores.matrix("bleu").item()) == (3, 0.3)
    assert [origin.name for origin in scores.sources] == ["more.csv", "top.csv"]
    data_set = {"metric-scores/en-de/m.seg.score": "a\t1\n", "human-scores/en-de.mqm.seg.score": "a\t2\n"}
    assert ma.read(make("wmt.zip", packed(data_set))).sources[0].name == "wmt.zip"


def test_a_zip_of_texts(make):
    outputs, references = "system,input,output\na,1,x y\n", "input,reference\n1,x z\n"
    path = make("texts.zip", packed({"out.csv": outputs, "sub/ref.csv": references, "README.md": "# what this is"}))
    texts = ma.read_texts(path)
    assert (texts.outputs, texts.references) == ({("a", "1"): "x y"}, {"1": ("x z",)})
    assert [str(origin) for origin in texts.provenance] == ["out.csv (tidy texts)", "ref.csv (tidy texts)"]
    translated = {"w/system-outputs/en-de/a.txt": "x\n", "w/references/en-de.refA.txt": "y\n"}
    assert ma.read_texts(make("wmt.zip", packed(translated))).provenance[0].name == "wmt.zip"
    with pytest.raises(DataError, match=r"none\.zip: the zip archive holds no texts in a known format"):
        ma.read_texts(make("none.zip", packed({"README.md": "# what this is"})))
    with pytest.raises(FormatError, match=r"bad\.zip/a\.csv, line 3"):
        ma.read_texts(make("bad.zip", packed({"a.csv": outputs + "a,2,x,y,z\n"})))


def test_a_zip_of_votes(make):
    with pytest.raises(DataError, match="the zip archive holds no votes"):
        ma.read_votes(make("none.zip", packed({"a.csv": "system,input,human\na,1,3\n"})))
    path = make("votes.zip", packed({"v.csv": "model_a,model_b,winner\nx,y,model_a\n"}))
    assert holds_votes(str(path))
    assert len(ma.read_votes(path)) == 1


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"../up.csv": "system,input,m\na,1,1\n"}, "the archive has a path that climbs out of it"),
        ({"a\\..\\..\\up.csv": "system,input,m\na,1,1\n"}, "the archive has a path that climbs out of it"),
        ({"a.csv": b"0" * (80 << 20)}, "unpacks to 1 files with 80 MB, and 10,000 files and 64 MB are the most"),
    ],
)
def test_hostile_archives_are_refused(make, tmp_path, files, said):
    with pytest.raises(FormatError, match=said):
        ma.read(make("bad.zip", packed(files)))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.zip"]


def test_a_damaged_zip_is_told(make):
    with pytest.raises(FormatError, match="the zip archive is damaged"):
        ma.read(make("cut.zip", packed({"a.csv": "system,input,m\na,1,1\n"})[:60]))


@pytest.mark.parametrize("end", ["\r", "\r\n", "\n"])
def test_lines_may_end_in_any_way(make, end):
    rows = "".join(f'a,{i},{i},"x, {i}"\n' for i in range(3000))
    scores = ma.read(make("a.csv", f"system,input,bleu,text\n{rows}".replace("\n", end).encode()))
    assert scores.shape == (1, 3000)
    assert scores.matrix("bleu").sum() == 3000 * 2999 / 2
