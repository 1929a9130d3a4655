"""Who may ask: names and origins, one by one."""

from __future__ import annotations

import pytest

from metassay.web.security import Guard

LOCAL = "127.0.0.1:8765"


async def nothing(scope, receive, send):
    raise AssertionError("not reached")


def refused(guard, method="GET", **headers):
    pairs = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return bool(guard.refuses(method, pairs))


@pytest.mark.parametrize("host", [LOCAL, "localhost:8765", "LOCALHOST", "[::1]:8765", "127.0.0.2"])
def test_this_machine_goes_by_its_own_names(host):
    assert not refused(Guard(nothing), host=host)


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "192.168.0.7:8765", "", "a@127.0.0.1", "[::1", "127.0.0.1:x"]
)
def test_other_names_are_refused(host):
    # A page can point its own name at 127.0.0.1 (DNS rebinding); the name in Host gives it away.
    assert refused(Guard(nothing), host=host)


def test_names_and_addresses_of_a_server_for_others():
    guard = Guard(nothing, local=False, names=["Scores.example.org"])
    assert not refused(guard, host="scores.example.org")
    assert not refused(guard, host="192.168.0.7:8765")
    assert refused(guard, host="evil.example")


def test_two_hosts_or_none_are_refused():
    guard = Guard(nothing)
    assert guard.refuses("GET", [])
    assert guard.refuses("GET", [(b"host", LOCAL.encode()), (b"host", b"localhost")])


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://localhost:8765", "http://127.0.0.1:3000", f"http://{LOCAL}.evil"]
)
def test_forms_of_other_pages_are_refused(origin):
    assert refused(Guard(nothing), "POST", host=LOCAL, origin=origin)
    assert refused(Guard(nothing), "GET", host=LOCAL, origin=origin)


def test_forms_of_this_page_and_of_programs_pass():
    guard = Guard(nothing)
    assert not refused(guard, "POST", host=LOCAL, origin=f"http://{LOCAL}")
    assert not refused(guard, "POST", host=LOCAL)
    assert not refused(guard, "POST", host=LOCAL, sec_fetch_site="same-origin")
    assert refused(guard, "POST", host=LOCAL, sec_fetch_site="cross-site")
    assert refused(guard, "POST", host=LOCAL, sec_fetch_site="same-site")


def test_a_refusal_is_an_answer(client):
    page = client.get("/", headers={"host": "evil.example"})
    assert page.status_code == 403
    assert "does not answer to that name" in page.text
    assert page.headers["x-frame-options"] == "DENY"
    post = client.post("/example", headers={"origin": "http://evil.example"})
    assert post.status_code == 403
