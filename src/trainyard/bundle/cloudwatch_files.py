"""The dashboards for CloudWatch in a bundle's folder monitoring/cloudwatch/, as `put-dashboard` takes them."""

from __future__ import annotations

import json
from collections.abc import Mapping

from trainyard.monitoring.cloudwatch_body import cloudwatch_bodies, wants_dashboards
from trainyard.monitoring.cloudwatch_cluster import known_as, needed_ids
from trainyard.render.stand_ins import Ids, StandIn
from trainyard.spec.cluster import Spec

FOLDER = "monitoring/cloudwatch"


def cloudwatch_files(spec: Spec, ids: Ids) -> dict[str, bytes]:
    """Return the dashboards by their file in the bundle, nothing where the spec wants none."""
    if not wants_dashboards(spec):
        return {}
    known_ids = {known_as(kind, number): ids.of(kind, number=number) for kind, number in needed_ids(spec)}
    return {
        f"{FOLDER}/{name}.json": (json.dumps(body, indent=1, ensure_ascii=False) + "\n").encode()
        for name, body in cloudwatch_bodies(spec, known_ids).items()
    }


def cloudwatch_stand_ins(spec: Spec, outputs: Mapping[str, str]) -> tuple[StandIn, ...]:
    """Return the stand-ins in them, where ``known`` are the outputs that need none."""
    ids = Ids(outputs)
    cloudwatch_files(spec, ids)
    return ids.in_order()
