"""EC2 as Prometheus' discovery asks it, and whoever takes samples: with a record of who signed each request.

The answers have the form of https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeInstances.html
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs
from xml.sax.saxutils import escape

# ParallelCluster's role of the head node may describe instances, and not zones: the class HeadNodeIamResources in
# https://github.com/aws/aws-parallelcluster/blob/v3.16.1/cli/src/pcluster/templates/cdk_builder_utils.py
ALLOWED = {"DescribeInstances"}
REFUSED = "<Response><Errors><Error><Code>UnauthorizedOperation</Code><Message>no</Message></Error></Errors></Response>"
# The key, the date, the region and the service, of which the date does not matter.
# https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-authentication-methods.html
_SIGNED = re.compile(r"Credential=(\w+)/\d+/([\w-]+)/(\w+)/aws4_request")


@dataclass(frozen=True, slots=True)
class Instance:
    """An instance, as far as discovery reads it."""

    number: int
    type: str
    tags: dict[str, str]
    state: str = "running"
    network: str = "10.0.16"
    """One of 127.0.0.0/8 where something really listens there. The host's name stays that of 10.0.16."""

    @property
    def address(self) -> str:
        return f"{self.network}.{self.number}"


@dataclass
class FakeAws:
    """What listens, and what it was asked."""

    instances: Sequence[Instance]
    url: str = ""
    signed: list[tuple[str, str, str]] = field(default_factory=list)
    """Key, region and service of each request, in order."""
    actions: list[str] = field(default_factory=list)
    writes: list[str] = field(default_factory=list)
    """Where samples were sent to."""

    def keys(self, service: str) -> list[str]:
        return [key for key, _, one in self.signed if one == service]

    def answer(self, form: dict[str, list[str]]) -> tuple[int, str]:
        action = form["Action"][0]
        self.actions.append(action)
        if action not in ALLOWED:
            return 403, REFUSED
        found = "".join(_xml(instance) for instance in self.instances if _passes(instance, form))
        items = f"<item><ownerId>000000000000</ownerId><instancesSet>{found}</instancesSet></item>"
        return 200, f"<{action}Response><reservationSet>{items}</reservationSet></{action}Response>"


@contextmanager
def fake_aws(instances: Sequence[Instance]) -> Iterator[FakeAws]:
    """Serve it on loopback."""
    aws = FakeAws(instances)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            for match in _SIGNED.finditer(self.headers.get("Authorization", "")):
                aws.signed.append((match[1], match[2], match[3]))
            status, text = 200, ""
            if self.headers.get("Content-Encoding") == "snappy":
                aws.writes.append(self.path)
            else:
                status, text = aws.answer(parse_qs(body.decode()))
            self.send_response(status)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        aws.url = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield aws
        server.shutdown()


def _passes(instance: Instance, form: dict[str, list[str]]) -> bool:
    """Whether an instance has one of the values of every filter."""
    facts = {"instance-state-name": instance.state, **{f"tag:{key}": value for key, value in instance.tags.items()}}
    names = {key: values[0] for key, values in form.items() if re.fullmatch(r"Filter\.\d+\.Name", key)}
    wanted = {name: key.removesuffix("Name") + "Value." for key, name in names.items()}
    return all(
        facts.get(name) in [value[0] for key, value in form.items() if key.startswith(prefix)]
        for name, prefix in wanted.items()
    )


def _xml(instance: Instance) -> str:
    tags = "".join(
        f"<item><key>{escape(key)}</key><value>{escape(value)}</value></item>" for key, value in instance.tags.items()
    )
    facts: dict[str, Any] = {
        "instanceId": f"i-{instance.number:017x}",
        "imageId": "ami-00000000000000000",
        "instanceType": instance.type,
        "privateIpAddress": instance.address,
        "privateDnsName": f"ip-10-0-16-{instance.number}.ec2.internal",
        "vpcId": "vpc-00000000000000000",
        "subnetId": "subnet-00000000000000000",
        "architecture": "x86_64",
    }
    plain = "".join(f"<{key}>{value}</{key}>" for key, value in facts.items())
    placement = "<placement><availabilityZone>us-east-1a</availabilityZone></placement>"
    state = f"<instanceState><name>{instance.state}</name></instanceState>"
    return f"<item>{plain}{placement}{state}<tagSet>{tags}</tagSet></item>"
