from __future__ import annotations

import doctest
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from metassay.texts.scorers.registry import METRICS

# The same examples every time, however busy the machine is; --hypothesis-profile=default tries others.
settings.register_profile("repeatable", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("repeatable")


def pytest_addoption(parser):
    group = parser.getgroup("metassay")
    group.addoption("--write-passed", metavar="FILE", help="write down which tests passed")
    group.addoption("--leave-out", metavar="FILE", help="leave out the tests in such a file, if it is there")


def pytest_configure(config):
    config.pluginmanager.register(Examples())
    if (name := config.getoption("write_passed")) and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Passed(Path(name)))


class Examples:
    """Skips an example in a docstring of a metric whose packages are absent, with the command that installs them."""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item):
        try:
            return (yield)
        except doctest.UnexpectedException as failure:
            error = failure.exc_info[1]
            for metric in METRICS.values():
                if isinstance(error, ModuleNotFoundError) and error.name in metric.packages:
                    pytest.skip(f"{item.name} needs {error.name}; run: {metric.install}")
            raise


class Passed:
    """Writes down which tests passed, so that another environment runs only those that were skipped here."""

    def __init__(self, path):
        self.path, self.names = path, []

    def pytest_runtest_logreport(self, report):
        if report.when == "call" and report.passed:
            self.names.append(report.nodeid)

    def pytest_sessionfinish(self):
        self.path.write_text("".join(f"{name!r}\n" for name in self.names), encoding="utf-8")


def pytest_collection_modifyitems(config, items):
    name = config.getoption("leave_out")
    if name and Path(name).exists():
        passed = set(Path(name).read_text(encoding="utf-8").splitlines())
        config.hook.pytest_deselected(items=[item for item in items if repr(item.nodeid) in passed])
        items[:] = [item for item in items if repr(item.nodeid) not in passed]


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The real data of published studies, which is not part of the project."""
    path = Path(__file__).resolve().parents[1].parent / "shared" / "data"
    if not path.is_dir():
        pytest.skip("the published data is not beside this repository")
    return path


@pytest.fixture
def gwet():
    """Gwet's coefficients as irrCAC computes them, from ratings (people, items) with NaN for gaps."""
    own = "irrCAC needs pandas 2; run: pip install irrCAC 'pandas<3' in an environment of its own"
    pd, raw = pytest.importorskip("pandas"), pytest.importorskip("irrCAC.raw", reason=own)
    if int(pd.__version__.partition(".")[0]) > 2:
        pytest.skip(own)  # it counts gaps as ratings with later ones

    def computed(ratings, weights):
        return raw.CAC(pd.DataFrame(ratings.T), weights=weights, digits=15).gwet()["est"]["coefficient_value"]

    return computed


@pytest.fixture
def unreachable(monkeypatch) -> list[str]:
    """A hub of models that does not answer; the names that it was asked for."""
    hub = pytest.importorskip("huggingface_hub", reason="needs transformers; run: pip install 'metassay[models]'")
    names: list[str] = []

    def nobody(_: object, name: str, timeout: float) -> None:
        names.append(name)
        raise OSError(f"no route to host\n(waited {timeout:g} s)")

    monkeypatch.setattr(hub.HfApi, "model_info", nobody)
    return names
