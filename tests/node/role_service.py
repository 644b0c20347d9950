"""The instance metadata service as far as it gives credentials of a role, by IMDSv2: the answers are set by tests.

https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instance-metadata-security-credentials.html
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TOKEN = "the-token"
PLACE = "/latest/meta-data/iam/security-credentials/"
ROLE = "llm-RoleHeadNode-0A1B"


@dataclass
class RoleService:
    """What listens, what it says, and what it was asked."""

    url: str = ""
    answers: dict[str, str] = field(default_factory=dict)
    """Texts by path; nothing is 404."""
    delays_s: list[float] = field(default_factory=list)
    """How long the next answers take."""
    asked: list[str] = field(default_factory=list)
    tokens: int = 0
    refusals: int = 0
    """How many of the next questions have a token that is good no longer."""

    def gives(self, key: str, ends: datetime, **changes: Any) -> None:
        """Let it give credentials that end then."""
        said = {
            "Code": "Success", "LastUpdated": "2026-11-21T11:00:00Z", "Type": "AWS-HMAC", "AccessKeyId": key,
            "SecretAccessKey": f"secret-of-{key}", "Token": f"token-of-{key}",
            "Expiration": ends.strftime("%Y-%m-%dT%H:%M:%SZ"),
        }  # fmt: skip
        self.answers = {PLACE: ROLE, PLACE + ROLE: json.dumps({**said, **changes})}


@contextmanager
def role_service() -> Iterator[RoleService]:
    """Serve it on loopback."""
    service = RoleService()

    class Answers(BaseHTTPRequestHandler):
        def do_PUT(self) -> None:
            service.tokens += 1
            asked = self.path == "/latest/api/token" and "X-aws-ec2-metadata-token-ttl-seconds" in self.headers
            self._answer(200 if asked else 400, TOKEN)

        def do_GET(self) -> None:
            service.asked.append(self.path)
            time.sleep(service.delays_s.pop(0) if service.delays_s else 0)
            if self.headers.get("X-aws-ec2-metadata-token") != TOKEN or service.refusals:
                service.refusals = max(0, service.refusals - 1)
                self._answer(401, "")
            else:
                found = service.answers.get(self.path)
                self._answer(404 if found is None else 200, found or "")

        def log_message(self, *_: object) -> None:
            pass

        def _answer(self, status: int, text: str) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(text.encode())))
            self.end_headers()
            with suppress(BrokenPipeError, ConnectionResetError):
                self.wfile.write(text.encode())

    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        service.url = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield service
        server.shutdown()


def from_now(seconds: float) -> datetime:
    return datetime.now(UTC) + timedelta(seconds=seconds)
