"""A server in this process, and what a browser would do with it."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette", reason="no Starlette; run: pip install 'metassay[serve]'")
pytest.importorskip("httpx2", reason="no httpx2; run: pip install httpx2")

from starlette.testclient import TestClient

from metassay.web.app import make_app

from .asking import ADDRESS


@pytest.fixture
def client():
    with TestClient(make_app(), base_url=ADDRESS) as opened:
        yield opened
