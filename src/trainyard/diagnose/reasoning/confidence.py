"""How sure a cause is: by the lines that tell of it, and by what else was seen."""

from __future__ import annotations

from collections.abc import Sequence

from trainyard.diagnose.cause import Cause
from trainyard.diagnose.hit import Hit
from trainyard.diagnose.reasoning.cause_evidence import CONFIDENCE_ORDER, sureness

_BY_ORDER = tuple(CONFIDENCE_ORDER)
_FOR_TWO_STEPS = 3


def confidence(cause: Cause, hits: Sequence[Hit], consequences: int) -> str:
    """Return how sure a cause is.

    It is that of its surest line. One thing that bears it out makes it a step surer, and three make it two: that
    several signatures of it were found, that several nodes tell of it, and that what it brings about was seen.
    """
    surest = min(CONFIDENCE_ORDER[sureness(cause, hit)] for hit in hits)
    several_signatures = len({hit.signature for hit in hits}) > 1
    several_nodes = len({hit.node for hit in hits if hit.node is not None}) > 1
    borne_out = several_signatures + several_nodes + (consequences > 0)
    steps = 0 if not borne_out else 2 if borne_out >= _FOR_TWO_STEPS else 1
    return _BY_ORDER[max(0, surest - steps)]
