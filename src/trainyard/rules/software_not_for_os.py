"""Software that the steps of nodes cannot install on this operating system."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.launch.setup import setup_of
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec

_KNOWN = ("ubuntu2204", "ubuntu2404", "alinux2023")


def check(spec: Spec) -> Iterator[Problem]:
    """Yield the operating system where nodes are to install what no step installs there."""
    if spec.is_environment or spec.image.os in _KNOWN:
        return
    # The head node and login nodes have the setup of all.
    setups = {spec.software.setup, *(setup_of(spec, queue) for queue in spec.queues)} - {"none"}
    features = [*(f"setup {setup}" for setup in sorted(setups)), *(["containers"] if spec.software.containers else [])]
    if features:
        yield Problem(("image", "os"), f"trainyard installs {' and '.join(features)} on {', '.join(_KNOWN)} only")


RULE = Rule(
    severity="error",
    title="Software that is not for this operating system",
    rationale=(
        "Packages, kernels and units differ between systems, and the steps that nodes install their software by are "
        "written for three of them. Elsewhere a node would fail when it starts, and be replaced until the cluster "
        "enters protected mode."
    ),
    remedy="choose one of them, or write setup: none and name an ami that has the software",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/operating-systems-v3.html",
    bad="""\
image: {os: rocky9}
software: {setup: gpu}
""",
    good="""\
image: {os: ubuntu2204}
software: {setup: gpu}
timeouts: {head_node_s: 3600, compute_node_s: 2400}
""",
    check=check,
)
