"""A kubeconfig for our own calls of kubectl: in a folder that only this user sees, and gone afterwards.

It names where the API server of a cluster is and who signs in, which is a program; it holds no secret.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from trainyard.edge.aws.eks import EksCluster
from trainyard.edge.kubernetes.token import API_VERSION
from trainyard.errors import TrainyardError

_NAME = "trainyard"


@contextmanager
def private_kubeconfig(cluster: EksCluster, region: str) -> Iterator[Path]:
    """Give the file until the end of the block. Raises TrainyardError where it cannot be made."""
    try:
        folder = tempfile.TemporaryDirectory(prefix="trainyard-kubernetes-")  # 0700
    except OSError as error:
        raise TrainyardError(
            f"no folder can be made for a kubeconfig: {error.strerror}",
            where=error.filename,
            hint="make room on the disk, or set TMPDIR to a folder that you may write to",
        ) from error
    with folder as temporary:
        file = Path(temporary) / "kubeconfig"
        file.touch(mode=0o600)
        file.write_text(json.dumps(kubeconfig(cluster, region)), encoding="utf-8")  # JSON is YAML
        yield file


def kubeconfig(cluster: EksCluster, region: str) -> dict[str, Any]:
    """Return the document.

    https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/
    """
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [
            {
                "name": _NAME,
                "cluster": {"server": cluster.endpoint, "certificate-authority-data": cluster.certificate_authority},
            }
        ],
        "users": [{"name": _NAME, "user": {"exec": _plugin(cluster.name, region)}}],
        "contexts": [{"name": _NAME, "context": {"cluster": _NAME, "user": _NAME}}],
        "current-context": _NAME,
    }


def _plugin(cluster: str, region: str) -> dict[str, Any]:
    # Without -P, a folder called trainyard where the command is run would be run in our place.
    # https://docs.python.org/3/using/cmdline.html#cmdoption-P
    return {
        "apiVersion": API_VERSION,
        "command": sys.executable,
        "args": ["-P", "-m", "trainyard.edge.kubernetes.token", region, cluster],
        "interactiveMode": "Never",
        "provideClusterInfo": False,
    }
