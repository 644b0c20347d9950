"""Settings of hypothesis: few examples each time, many in `make test-exhaustive`."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# No deadline: the first example pays for imports, and machines differ.
settings.register_profile("each-time", max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("exhaustive", max_examples=1000, deadline=None, suppress_health_check=list(HealthCheck))
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "each-time"))
