"""The server of a live page: who may ask for what, and that it ends with its command."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from dumbbell.errors import EnvironmentLacks
from dumbbell.view.live import server as serving
from dumbbell.view.live import session
from dumbbell.view.live.server import Server
from helpers.command import exit_code
from helpers.live.commands import command, fetch, port, refused

PAGE = "<p>first</p>"


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server(PAGE)
    yield made
    made.close()


def asked(
    server: Server, path: str, method: str = "GET", host: str | None = None
) -> tuple[int, bytes, dict[str, str]]:
    """The status, the content and the headers of an answer."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    headers = {"Host": host or f"127.0.0.1:{server.port}"}
    connection.request(method, path, headers=headers)
    answer = connection.getresponse()
    found = answer.status, answer.read(), dict(answer.getheaders())
    connection.close()
    return found


def test_whoever_knows_the_token_gets_the_page(server: Server) -> None:
    status, content, headers = asked(server, f"/{server.token}/")
    assert (status, content.decode()) == (200, PAGE)
    assert headers["Cache-Control"] == "no-store"
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert server.address == f"http://127.0.0.1:{server.port}/{server.token}/"
    assert len(server.token) >= 43  # 256 bits.


@pytest.mark.parametrize("path", ["/", "/favicon.ico", "/news", "/{}", "/{}x/", "/x{}/news", "//"])
def test_nobody_else_gets_anything(server: Server, path: str) -> None:
    status, content, _ = asked(server, path.format(server.token))
    assert status == 404
    assert server.token.encode() not in content
    assert not server.heard


@pytest.mark.parametrize("name", ["page", "../", "etc/passwd", "%2e%2e/", "news/x", "/"])
def test_there_is_nothing_but_the_page_and_its_news(server: Server, name: str) -> None:
    assert asked(server, f"/{server.token}/{name}")[0] == 404


@pytest.mark.parametrize("host", ["localhost", "evil.example", "127.0.0.1", "127.0.0.1:1", ""])
def test_another_host_is_refused(server: Server, host: str) -> None:
    """A site whose name was bound to 127.0.0.1 sends its name."""
    named = f"{host}:{server.port}" if host.isalpha() or ".example" in host else host or " "
    assert asked(server, f"/{server.token}/", host=named)[0] == 404


@pytest.mark.parametrize("method", ["POST", "PUT", "HEAD", "DELETE", "OPTIONS", "CONNECT"])
def test_it_answers_get_alone(server: Server, method: str) -> None:
    assert asked(server, f"/{server.token}/", method)[0] == 501


def test_it_listens_on_loopback_only(server: Server) -> None:
    assert server._http.server_address[0] == "127.0.0.1"
    inode = os.fstat(server._http.fileno()).st_ino
    listening = [
        line.split()[1]
        for file in ("/proc/net/tcp", "/proc/net/tcp6")
        if Path(file).exists()
        for line in Path(file).read_text(encoding="utf-8").splitlines()[1:]
        if line.split()[9] == str(inode)
    ]
    assert listening in ([f"0100007F:{server.port:04X}"], [])


def test_news_come_once_and_in_order(server: Server) -> None:
    server.news.piece('{"a": 1}')
    server.news.piece('{"a": 2}')
    server.news.progress(0, 1, 0.5)
    first = json.loads(asked(server, f"/{server.token}/news?from=0")[1])
    assert first["pieces"] == [{"a": 1}, {"a": 2}]
    assert (first["next"], first["state"], first["progress"]) == (2, "running", [0, 1, 0.5])
    server.news.piece('{"a": 3}')
    server.news.table({"rows": []})
    second = json.loads(asked(server, f"/{server.token}/news?from=2&version=0")[1])
    assert (second["pieces"], second["table"]) == ([{"a": 3}], {"rows": []})
    server.news.end("ended")
    last = json.loads(asked(server, f"/{server.token}/news?from=3&version=1")[1])
    assert (last["pieces"], last["table"], last["state"]) == ([], None, "ended")
    assert json.loads(asked(server, f"/{server.token}/news?from=-1&version=x")[1])["next"] == 3


def test_the_end_is_fetched(server: Server) -> None:
    server.last = b"<p>last</p>"
    assert not server.fetched.is_set()
    assert asked(server, f"/{server.token}/page")[1] == b"<p>last</p>"
    assert server.fetched.wait(10)


def test_pieces_are_kept_up_to_a_bound(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dumbbell.view.live.news.MOST_BYTES", 10)
    server.news.piece('{"a": 1}')
    server.news.piece('{"a": 2}')
    told = json.loads(asked(server, f"/{server.token}/news")[1])
    assert told["pieces"] == [{"a": 1}]
    assert "too many rows" in told["message"]


def test_it_is_gone_after_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    opened: list[str] = []

    def browse(address: str) -> bool:
        opened.append(address)
        http.client.HTTPConnection("127.0.0.1", port(address)).connect()
        return True

    with session(PAGE, browse) as live:
        live.end("<p>last</p>")
        threading.Thread(target=fetch, args=(f"{opened[0]}page",), daemon=True).start()
    assert refused(port(opened[0]))
    assert f"live: {opened[0]}" in capsys.readouterr().err


def test_it_is_gone_after_an_error() -> None:
    opened: list[str] = []
    with pytest.raises(RuntimeError), session(PAGE, lambda it: bool(opened.append(it))):
        raise RuntimeError("it broke")
    assert refused(port(opened[0]))


def test_without_a_port_there_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def no_port(*_: object) -> None:
        raise OSError(99, "Cannot assign requested address")

    monkeypatch.setattr(serving._Http, "server_bind", no_port)
    with pytest.raises(EnvironmentLacks):
        Server(PAGE)
    assert exit_code("run", "scenarios/first.toml", "--live", "--quiet") == 4
    said = capsys.readouterr().err
    assert "--live: no page can be served on 127.0.0.1: Cannot assign requested address" in said
    assert "Traceback" not in said


LONG = ("run", "scenarios/first.toml", "-s", 'duration="100000 s"')


@pytest.mark.parametrize(
    ("how", "code"), [(signal.SIGKILL, -9), (signal.SIGTERM, 130), (signal.SIGINT, 130)]
)
def test_a_killed_command_leaves_no_listener(how: signal.Signals, code: int) -> None:
    with command(*LONG) as (process, address):
        assert b'id="dumbbell-live"' in fetch(address)
        process.send_signal(how)
        assert process.wait(30) == code
        assert refused(port(address))


def test_the_policy_permits_requests_to_the_server_alone() -> None:
    with command(*LONG) as (_, address):
        policy = re.search(r'Security-Policy" content="([^"]*)"', fetch(address).decode())
        assert policy
        rules = policy[1].replace("&#39;", "'").split("; ")
        assert "default-src 'none'" in rules
        assert "connect-src 'self'" in rules
        assert sum(rule.startswith("connect-src") for rule in rules) == 1
