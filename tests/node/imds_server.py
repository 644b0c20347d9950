"""Stands for the instance metadata service, with IMDSv2 only: `python imds_server.py INSTANCE_ID TYPE`."""

from __future__ import annotations

import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

TOKEN = "the-token"


class Answers(BaseHTTPRequestHandler):
    """Answers who has a token, as EC2 does where IMDSv1 is off."""

    def do_PUT(self) -> None:
        asked = self.path == "/latest/api/token" and "X-aws-ec2-metadata-token-ttl-seconds" in self.headers
        self._answer(200 if asked else 400, TOKEN)

    def do_GET(self) -> None:
        facts = {
            "/latest/meta-data/instance-id": sys.argv[1],
            "/latest/meta-data/instance-type": sys.argv[2],
            "/latest/meta-data/services/partition": "aws",
            "/latest/dynamic/instance-identity/document": '{"accountId": "123456789012", "region": "us-east-2"}',
        }
        if self.headers.get("X-aws-ec2-metadata-token") != TOKEN:
            self._answer(401, "")
        else:
            self._answer(200 if self.path in facts else 404, facts.get(self.path, ""))

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def _answer(self, status: int, text: str) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())


server = HTTPServer(("127.0.0.1", 0), Answers)
sys.stdout.write(f"http://127.0.0.1:{server.server_port}\n")
sys.stdout.flush()
server.serve_forever()
