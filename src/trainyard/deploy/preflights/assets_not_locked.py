"""Assets that nodes install and that the lock beside the spec does not hold."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.bundle.asset_lock import compare_lock
from trainyard.deploy.preflights import Preflight, PreflightContext
from trainyard.render.needed_assets import needed_assets
from trainyard.rules import Problem

_PATH = ("software",)


def check(context: PreflightContext) -> Iterator[Problem]:
    """Yield what is missing, and what is locked in another version than the spec names. A surplus does no harm."""
    if context.asset_lock is None:
        return
    file = "SPEC" if context.document is None else context.document.file
    remedy = f"run `trainyard assets lock {file}`, then deploy again"
    comparison = compare_lock(needed_assets(context.spec), context.asset_lock)
    if comparison.missing:
        what = ", ".join(str(needed_asset) for needed_asset in comparison.missing)
        yield Problem(_PATH, f"nodes install what is not locked: {what}", remedy)
    if comparison.stale:
        what = ", ".join(str(needed_asset) for needed_asset in comparison.stale)
        yield Problem(_PATH, f"another version is locked than the spec names: {what}", remedy)


PREFLIGHT = Preflight(
    severity="error",
    title="Assets that are not locked",
    rationale=(
        "Nodes install nothing from the internet: they take it from the bucket, and only where its SHA-256 is that of "
        "the lock beside the spec. What is not locked is not there, so the step that needs it fails on every node, and "
        "ParallelCluster replaces compute nodes until protected mode ends their queue."
    ),
    remedy="run `trainyard assets lock` with the spec, then deploy again",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/slurm-protected-mode-v3.html",
    permissions=(),
    check=check,
)
