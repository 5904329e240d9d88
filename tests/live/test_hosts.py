"""Only hosts that nobody else can point at this machine count as the server's own."""

import socket

import pytest

from reportgen.live.hosts import is_own_host


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1", "127.0.0.2", "[::1]", "LOCALHOST", "localhost."])
def test_loopback_names_are_its_own(name: str) -> None:
    assert is_own_host([f"{name}:8000"], "127.0.0.1", 8000)


@pytest.mark.parametrize("name", ["evil.example", "10.0.0.1", "[2001:db8::1]", "localhost.evil.example", ""])
def test_other_names_do_not_reach_a_loopback_server(name: str) -> None:
    assert not is_own_host([f"{name}:8000"], "127.0.0.1", 8000)
    assert not is_own_host([f"{name}:8000"], "localhost", 8000)


@pytest.mark.parametrize("name", ["10.0.0.1", "[2001:db8::1]", "127.0.0.1", "box.example", socket.gethostname()])
def test_an_open_server_also_answers_to_addresses_and_to_the_name_it_was_given(name: str) -> None:
    assert is_own_host([f"{name}:8000"], "box.example", 8000)


def test_an_open_server_does_not_answer_to_other_names() -> None:
    assert not is_own_host(["evil.example:8000"], "0.0.0.0", 8000)


def test_the_port_is_part_of_the_host() -> None:
    assert is_own_host(["localhost"], "127.0.0.1", 80)
    assert not is_own_host(["localhost"], "127.0.0.1", 8000)
    assert not is_own_host(["localhost:8001"], "127.0.0.1", 8000)


@pytest.mark.parametrize("headers", [[], ["localhost:8000", "localhost:8000"], ["["], ["a@localhost:8000"]])
def test_anything_but_one_plain_host_is_refused(headers: list[str]) -> None:
    assert not is_own_host(headers, "127.0.0.1", 8000)
