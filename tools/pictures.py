"""The pictures of clusters in README and pages, drawn from architectures as `trainyard render` draws them."""

from __future__ import annotations

from collections.abc import Mapping

from trainyard.api.new import new_spec
from trainyard.render.diagram.architecture import architecture_svg
from trainyard.spec.parsing import parse

_SELF_HOSTING = ("monitoring.mode=self-hosting", "network.secondary_availability_zone=us-east-2b")
_DRAWN = {
    "cluster-parallelcluster": ("p5en-monitoring", ()),
    "cluster-self-hosting": ("p5en-monitoring", _SELF_HOSTING),
    "cluster-batch": ("batch-p5", ()),
    "cluster-eks": ("eks-p5-capacity-block", ()),
}


def pictures() -> Mapping[str, str]:
    """Return the text of each picture by the name of its file."""
    return {
        name: architecture_svg(parse(new_spec(architecture, settings), architecture).spec)
        for name, (architecture, settings) in _DRAWN.items()
    }
