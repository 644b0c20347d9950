"""The claims of volumes, and the file systems behind them."""

from __future__ import annotations

from collections.abc import Iterable

from trainyard.edge.kubernetes.documents import Document, text
from trainyard.operate.status.file_systems import Mount
from trainyard.platforms.eks.status.eks_status import Claim

# https://github.com/kubernetes-sigs/aws-fsx-csi-driver and https://github.com/kubernetes-sigs/aws-efs-csi-driver, whose
# handle may go on with an access point: fs-…::fsap-…
_DRIVERS = {"fsx.csi.aws.com": "fsx", "efs.csi.aws.com": "efs"}


def claims(documents: Iterable[Document]) -> tuple[Claim, ...]:
    """Return the claims of volumes."""
    return tuple(
        Claim(
            text(document, "metadata", "namespace"),
            text(document, "metadata", "name"),
            text(document, "status", "phase"),
            text(document, "spec", "volumeName") or None,
        )
        for document in documents
    )


def volume_mounts(documents: Iterable[Document]) -> dict[str, list[Mount]]:
    """Return what volumes mount, by the service: fsx or efs. A mount is called after the claim that has it."""
    found: dict[str, list[Mount]] = {}
    for document in documents:
        kind = _DRIVERS.get(text(document, "spec", "csi", "driver"))
        handle = text(document, "spec", "csi", "volumeHandle").partition(":")[0]
        if kind is not None and handle.startswith("fs-"):
            found.setdefault(kind, []).append(Mount(_claim(document), text(document, "metadata", "name"), handle))
    return found


def _claim(document: Document) -> str:
    namespace, name = (text(document, "spec", "claimRef", key) for key in ("namespace", "name"))
    return f"claim {namespace}/{name}" if name else f"volume {text(document, 'metadata', 'name')}"
