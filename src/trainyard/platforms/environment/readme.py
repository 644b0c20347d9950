"""The README of a bundle for an environment: how to run its monitoring instance, and to remove its stacks."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.bundle.by_hand.stacks import removed
from trainyard.bundle.markdown import block
from trainyard.bundle.readme_contents import OUTLIVING_STACKS, ReadmeContents, published
from trainyard.spec.cluster import Spec

CREATE_COMMAND = None
BENCH_FILES = ()


def made_for(spec: Spec) -> None:
    """Return nothing: clusters of any platform use it."""
    del spec


def steps(spec: Spec, contents: ReadmeContents) -> Iterator[str]:
    """Yield the lines of the steps from the second on."""
    if spec.installs_anything:
        yield "## 2. Publish what the monitoring instance runs"
        yield ""
        yield "It looks for that every five minutes, and installs Prometheus, Alertmanager and Grafana."
        yield ""
        yield from published(spec, contents)
    yield f"## {3 if spec.installs_anything else 2}. Remove"
    yield ""
    stacks = contents.rendering.stacks
    yield from block(f"When no cluster uses it any more. {OUTLIVING_STACKS}", list(removed(spec, stacks)))
