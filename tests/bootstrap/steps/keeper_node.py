"""A monitoring instance for its three steps to run on, with archives as their publishers pack them."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

from tests.bootstrap.steps.stubs import FakeNode

SECRET = "arn:aws:secretsmanager:us-east-2:123456789012:secret:GrafanaPassword-1a2b"
PASSWORD = "Hq7xPzR2mWc9LkT4vBnY8sDfG3jAe5uK"
# Objects to what says broken, as promtool and amtool do: on standard error, with a status of 1.
CHECKS = b"""#!/bin/sh
for file; do :; done
if grep -q broken "$file"; then
  echo "  FAILED: parsing YAML file $file: yaml: line 1: found broken" >&2
  exit 1
fi
"""


def archive(files: dict[str, bytes]) -> bytes:
    """Return a .tar.gz of programs."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as tar:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(content), 0o755
            tar.addfile(member, io.BytesIO(content))
    return stream.getvalue()


def prometheus(version: str = "3.5.0") -> bytes:
    folder = f"prometheus-{version}.linux-amd64"
    return archive({f"{folder}/prometheus": f"server {version}".encode(), f"{folder}/promtool": CHECKS})


def alertmanager(version: str = "0.31.1") -> bytes:
    folder = f"alertmanager-{version}.linux-amd64"
    return archive({f"{folder}/alertmanager": f"server {version}".encode(), f"{folder}/amtool": CHECKS})


def grafana(version: str = "12.4.3") -> bytes:
    folder = f"grafana-v{version}"
    return archive({f"{folder}/bin/grafana": f"server {version}".encode(), f"{folder}/public/index.html": b"<html>"})


def keeper_node(place: Path, **settings: str) -> FakeNode:
    """Return an instance with a release, its archives, and a secret that AWS gives out."""
    node = FakeNode(
        place, "alinux2023",
        **{"role": "monitoring", "queue": "", "setup": "none", "containers": "0", "monitoring": "self-hosting",
           "instance_type": "t3.medium", "grafana_url": "http://localhost:3000/", **settings},
    )  # fmt: skip
    node.asset("prometheus", "prometheus-3.5.0.linux-amd64.tar.gz", prometheus())
    node.asset("alertmanager", "alertmanager-0.31.1.linux-amd64.tar.gz", alertmanager())
    node.asset("grafana", "grafana-12.4.3.linux-amd64.tar.gz", grafana())
    publish(node, "instance.yml", "global: {}\n")
    publish(node, "rules.yml", "groups: []\n")
    publish(node, "alertmanager.yml", "route: {receiver: none}\n")
    publish(node, "grafana/cluster-overview.json", '{"uid": "trainyard-cluster-overview"}')
    (node.root / "var/lib").mkdir(parents=True)
    node.write("etc/trainyard/grafana-secret.env", f"GRAFANA_SECRET={SECRET}\nREGION=us-east-2\n")
    node.program("aws", f"""echo '{{"username": "admin", "password": "{PASSWORD}"}}'""")
    return node


def publish(node: FakeNode, name: str, text: str) -> None:
    """Put a file into the folder monitoring/ of the release."""
    file = node.release / "monitoring" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
