"""What a node asks besides its own disk: the metadata service, and a bucket that holds a release and its assets."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.specs import spec_of
from trainyard.bundle.assets import release_of, uploads
from trainyard.edge.aws.account import Account

BUCKET = "mine"
FOLDER = "trainyard/llm"
INSTANCE = "i-0123456789abcdef0"
ARN = f"arn:aws:ec2:us-east-2:123456789012:instance/{INSTANCE}"
TOKEN = "a-token"
CREDENTIALS = {
    "Code": "Success", "AccessKeyId": "AKID", "SecretAccessKey": "secret", "Token": "token",
    "Expiration": "2126-11-21T12:00:00Z",
}  # fmt: skip
ANSWERS = {
    "/latest/meta-data/instance-id": INSTANCE,
    "/latest/meta-data/instance-type": "m5.xlarge",
    "/latest/meta-data/services/partition": "aws",
    "/latest/dynamic/instance-identity/document": '{"accountId": "123456789012", "region": "us-east-2"}',
    "/latest/meta-data/iam/security-credentials/": "llm-head-node",
    "/latest/meta-data/iam/security-credentials/llm-head-node": json.dumps(CREDENTIALS),
}
DOCKER = ("docker", "dockerd", "containerd", "containerd-shim-runc-v2", "runc", "ctr", "docker-init", "docker-proxy")


class _Metadata(BaseHTTPRequestHandler):
    """Answers as IMDSv2 does: nothing without a token."""

    def do_PUT(self) -> None:
        self._answer(200, TOKEN)

    def do_GET(self) -> None:
        if self.headers.get("X-aws-ec2-metadata-token") != TOKEN:
            self._answer(401, "")
        elif self.path in ANSWERS:
            self._answer(200, ANSWERS[self.path])
        else:
            self._answer(404, "")

    def _answer(self, status: int, text: str) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@contextmanager
def metadata_service() -> Iterator[str]:
    """Serve it on loopback, and hand out its address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Metadata) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def archive(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as made:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(content), 0o755
            made.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()


# What vendors would offer for download, small enough to be made here.
DOWNLOADS = {
    ("docker", "docker-28.5.1.tgz"): archive({f"docker/{name}": b"#!/bin/sh\n" for name in DOCKER}),
    ("node-exporter", "node_exporter-1.10.2.linux-amd64.tar.gz"): archive(
        {"node_exporter-1.10.2.linux-amd64/node_exporter": b"#!/bin/sh\necho exporter\n"}
    ),
    ("prometheus", "prometheus-3.13.2.linux-amd64.tar.gz"): archive(
        {f"prometheus-3.13.2.linux-amd64/{name}": b"#!/bin/sh\n" for name in ("prometheus", "promtool")}
    ),
}


def lock(downloads: Mapping[tuple[str, str], bytes] = DOWNLOADS) -> bytes:
    """Return the lock of such downloads."""
    assets = [
        {
            "name": name, "version": "1", "os": None, "arch": "x86_64", "file": file, "url": f"https://example.com/{file}",
            "size_bytes": len(content), "sha256": hashlib.sha256(content).hexdigest(), "verified_by": None,
        }
        for (name, file), content in downloads.items()
    ]  # fmt: skip
    return json.dumps({"schema": 1, "assets": assets}).encode()


class Bucket:
    """The cluster's bucket."""

    def __init__(self, account: Account) -> None:
        self._s3 = account.client("s3")
        place = {"LocationConstraint": account.region}
        self._s3.create_bucket(Bucket=BUCKET, CreateBucketConfiguration=place)

    def publish(
        self,
        part: str,
        downloads: Mapping[tuple[str, str], bytes] = DOWNLOADS,
        outputs: Mapping[str, str] | None = None,
    ) -> None:
        """Put there what `deploy` puts there for a spec."""
        spec = spec_of(f"name: llm\nassets: {{bucket: {BUCKET}}}\n{part}")
        for name, content in uploads(release_of(spec, lock(downloads), outputs)).items():
            self.put(name, content)
        for (_, file), content in downloads.items():
            self.put(f"assets/{hashlib.sha256(content).hexdigest()}/{file}", content)

    def put(self, name: str, content: bytes) -> None:
        self._s3.put_object(Bucket=BUCKET, Key=f"{FOLDER}/{name}", Body=content)

    def names(self) -> list[str]:
        listed = self._s3.list_objects_v2(Bucket=BUCKET).get("Contents", [])
        return [one["Key"].removeprefix(f"{FOLDER}/") for one in listed]

    def record(self) -> dict[str, Any]:
        """Return what the node reported."""
        got = self._s3.get_object(Bucket=BUCKET, Key=f"{FOLDER}/nodes/{ARN}.json")
        record: dict[str, Any] = json.load(got["Body"])
        return record
