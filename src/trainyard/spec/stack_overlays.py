"""Parameters and properties of CloudFormation's stacks that the spec does not have."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from trainyard.field import Text
from trainyard.record import Record
from trainyard.spec.overlay import Overlay, OverlayKey

# https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html: values up to 4,096 bytes.
ParameterValue = Annotated[str, Text(r"^[ -~]*$", "plain text or a whole number", longest=4096, numbers=True)]


class StackOverlay(Record):
    """What one stack gets beyond what the spec says."""

    parameters: dict[OverlayKey, ParameterValue] = {}
    """Parameters of its template that no key of the spec decides, by name."""
    resources: Overlay = {}
    """Keys of its resources, by the logical ids of its template, as CloudFormation writes them. They are merged last;
    entries of lists that are not there come after those that are. A key that the spec decides is refused here."""


class StackOverlays(Record):
    """Stacks by the end of their names, each with what it gets beyond what the spec says."""

    network: StackOverlay = {}  # type: ignore[assignment]  # plain data, validated like input; so below
    """The network with its security groups."""
    storage: StackOverlay = {}  # type: ignore[assignment]
    """File systems of FSx."""
    monitoring: StackOverlay = {}  # type: ignore[assignment]
    """Who keeps metrics."""
    rules: StackOverlay = {}  # type: ignore[assignment]
    """Alerts and recording rules of Amazon Managed Prometheus."""
    assets: StackOverlay = {}  # type: ignore[assignment]
    """What nodes may read and report."""
    batch: StackOverlay = {}  # type: ignore[assignment]
    """The cluster on AWS Batch; for its resources, `batch.overlay` is the same."""
    nodes: StackOverlay = {}  # type: ignore[assignment]
    """Launch templates of node groups on Amazon EKS."""

    def of(self, kind: str) -> StackOverlay | None:
        """Return what one stack gets; None for one that has no key here."""
        overlay: StackOverlay | None = getattr(self, kind, None)
        return overlay

    def in_use(self) -> Iterator[tuple[str, StackOverlay]]:
        """Yield the stacks that get anything."""
        for kind in StackOverlays.field_names():
            overlay = self.of(kind)
            if overlay is not None and (overlay.parameters or overlay.resources):
                yield kind, overlay

    def emptied(self) -> StackOverlays:
        """Return the same without anything for any stack."""
        return self.replaced(**{kind: overlay.replaced(parameters={}, resources={}) for kind, overlay in self.in_use()})
