import os
import stat
from pathlib import Path

import pytest

from metassay.core import files
from metassay.errors import UnknownName, UsageError
from metassay.report.formats import choose


def test_every_format_can_be_written_and_is_what_is_returned(agreed, tmp_path):
    for suffix, write in {
        "json": agreed.to_json,
        "csv": agreed.to_csv,
        "md": agreed.to_markdown,
        "tex": agreed.to_latex,
        "html": agreed.to_html,
        "txt": agreed.to_text,
    }.items():
        path = tmp_path / f"out.{suffix}"
        text = write(path)
        assert path.read_text("utf-8") == text
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        f"out.{s}" for s in ("csv", "html", "json", "md", "tex", "txt")
    ]


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "table.tex"
    path.write_text("old")

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UsageError, match=r"^cannot write '.*table.tex': No space left on device$"):
        files.write_text(path, "new")
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["table.tex"]


def test_a_missing_directory_is_one_line(agreed, tmp_path):
    with pytest.raises(UsageError, match="cannot write") as caught:
        agreed.to_latex(tmp_path / "no" / "table.tex")
    assert "\n" not in str(caught.value)
    with pytest.raises(UsageError, match="there is no directory"):
        files.check_writable(tmp_path / "no" / "table.tex")


def test_a_directory_is_no_file(tmp_path):
    with pytest.raises(UsageError, match="directory"):
        files.write_text(tmp_path, "x")
    with pytest.raises(UsageError, match="it is a directory"):
        files.check_writable(tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_permission_denied_is_one_line(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(UsageError, match="permission"):
        files.check_writable(tmp_path / "x")
    with pytest.raises(UsageError, match="cannot write"):
        files.write_text(tmp_path / "x", "x")


def test_permissions_and_links_survive(tmp_path):
    real = tmp_path / "real.txt"
    real.write_text("old")
    real.chmod(0o640)
    link = tmp_path / "link.txt"
    link.symlink_to(real)
    files.write_text(link, "new")
    assert link.is_symlink()
    assert real.read_text() == "new"
    assert stat.S_IMODE(real.stat().st_mode) == 0o640


def test_devices_are_written_to_and_not_replaced():
    files.write_text("/dev/null", "x")
    assert not Path("/dev/null").is_file()


def test_damaged_names_do_not_stop_the_rest(tmp_path):
    files.write_text(tmp_path / "x.json", '"\ud800"')
    assert (tmp_path / "x.json").read_text("utf-8") == '"\\ud800"'


def test_the_format_comes_from_the_name_or_the_suffix():
    assert choose(None) == "table"
    assert choose("JSON", "x.tex") == "json"
    assert choose(None, "a.b/x.TEX") == "latex"
    with pytest.raises(UnknownName, match="did you mean 'latex'"):
        choose("latx")
    with pytest.raises(UsageError, match=r"cannot tell the format from 'x.pdf'; .*\.tex"):
        choose(None, "x.pdf")
