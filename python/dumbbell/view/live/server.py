"""The server of a live page: one page on 127.0.0.1, behind a token, for as long as the command
lives."""

from __future__ import annotations

import hmac
import secrets
import threading
import time
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import socket
from typing import Any
from urllib.parse import parse_qs, urlsplit

from ...errors import EnvironmentLacks
from .news import News

HOST = "127.0.0.1"
_TOKEN_BYTES = 32
_WAIT_S = 10.0
"""A question for news is answered after this at the latest."""
_IDLE_S = 60.0
"""A connection that says nothing is closed after this."""
_MOST_CONNECTIONS = 32
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class Server:
    """Serves the first page, the news and the last page of one command. `EnvironmentLacks` (exit
    code 4) if no port can be had."""

    def __init__(self, first: str) -> None:
        self.news = News()
        self.first = first.encode()
        self.last: bytes | None = None
        """The page of the end."""
        self.token = secrets.token_urlsafe(_TOKEN_BYTES)
        self.fetched = threading.Event()
        """Set when a browser has the end."""
        self.heard = 0.0
        """When somebody with the token asked last; 0: nobody has."""
        self._connections = threading.BoundedSemaphore(_MOST_CONNECTIONS)
        try:
            self._http = _Http(self)
        except OSError as error:
            raise EnvironmentLacks(
                f"--live: no page can be served on {HOST}: {error.strerror or error}\nhelp: leave "
                "--live out, and open the result with `dumbbell view`"
            ) from None
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True
        )
        self._thread.start()

    @property
    def port(self) -> int:
        """The port, which the system chose."""
        return int(self._http.server_address[1])

    @property
    def address(self) -> str:
        """The address of the page."""
        return f"http://{HOST}:{self.port}/{self.token}/"

    def close(self) -> None:
        """Nothing listens any more."""
        self._http.shutdown()
        self._http.server_close()

    def enter(self) -> bool:
        """True if there is room for a connection; `leave` gives it back."""
        return self._connections.acquire(blocking=False)

    def leave(self) -> None:
        """A connection is over."""
        self._connections.release()

    def allows(self, host: str, token: str) -> bool:
        """True for a request that came to this address, and knows the token. A page of another site
        whose name points to 127.0.0.1 comes with that name as its host."""
        here = hmac.compare_digest(host.encode("utf-8", "replace"), f"{HOST}:{self.port}".encode())
        known = hmac.compare_digest(token.encode("utf-8", "replace"), self.token.encode())
        return here and known

    def answer(self, name: str, query: str) -> tuple[str, bytes] | None:
        """The type and the content of what is asked for; None: there is no such thing."""
        self.heard = time.monotonic()
        if name == "":
            return "text/html; charset=utf-8", self.first
        if name == "news":
            text = self.news.since(_number(query, "from"), _number(query, "version"), _WAIT_S)
            return "application/json", text.encode()
        if name == "page" and self.last is not None:
            return "text/html; charset=utf-8", self.last
        return None

    def sent(self, name: str) -> None:
        """An answer has gone out."""
        self.heard = time.monotonic()
        if name == "page" or (name == "news" and self.news.state == "failed"):
            self.fetched.set()


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, server: Server) -> None:
        self.of = server
        super().__init__((HOST, 0), _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        if self.of.enter():
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self.of.leave()

    def handle_error(self, request: socket | tuple[bytes, socket], client_address: Any) -> None:
        """A browser that goes away is no error."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "dumbbell"
    sys_version = ""
    timeout = _IDLE_S
    server: _Http

    def do_GET(self) -> None:
        """Answers with the page or its news."""
        asked = urlsplit(self.path)
        token, slash, name = asked.path.removeprefix("/").partition("/")
        of = self.server.of
        # Both are compared whatever the other is: how long it takes says nothing.
        allowed = of.allows(self.headers.get("Host", ""), token)
        found = of.answer(name, asked.query) if allowed and slash else None
        if found is None:
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        kind, content = found
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
        of.sent(name)

    def end_headers(self) -> None:
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        super().end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """The terminal is the command's."""


def _number(query: str, name: str) -> int:
    text = parse_qs(query).get(name, ["0"])[0]
    return int(text) if text.isdecimal() and len(text) < 16 else 0
