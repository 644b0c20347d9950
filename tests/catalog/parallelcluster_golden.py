"""What the packages of ParallelCluster say, as recorded by record_parallelcluster_limits.py."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

VERSIONS: dict[str, dict[str, Any]] = json.loads(
    (Path(__file__).parent / "golden/parallelcluster-limits.json").read_text()
)["versions"]
