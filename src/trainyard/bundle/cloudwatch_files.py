"""The dashboards for CloudWatch in a bundle's folder monitoring/cloudwatch/, as `put-dashboard` takes them."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic_core import to_json

from trainyard.monitoring.cloudwatch_body import cloudwatch_bodies, dashboards_of, wants_dashboards
from trainyard.monitoring.cloudwatch_cluster import file_system_key, needed_ids
from trainyard.monitoring.cloudwatch_dashboard import dashboard_name
from trainyard.render.stand_ins import Ids, StandIn
from trainyard.spec.cluster import Spec

FOLDER = "monitoring/cloudwatch"


def cloudwatch_files(spec: Spec, ids: Ids) -> dict[str, bytes]:
    """Return the dashboards by their file in the bundle, nothing where the spec wants none."""
    if not wants_dashboards(spec):
        return {}
    return {
        _file_of(name): to_json(body, indent=1) + b"\n"
        for name, body in cloudwatch_bodies(spec, _ids(spec, ids)).items()
    }


def cloudwatch_file_names(spec: Spec) -> list[str]:
    """Return the names of these files."""
    dashboards = dashboards_of(spec) if wants_dashboards(spec) else ()
    return [_file_of(dashboard_name(spec.name, dashboard)) for dashboard in dashboards]


def cloudwatch_stand_ins(spec: Spec, outputs: Mapping[str, str]) -> tuple[StandIn, ...]:
    """Return the stand-ins in them, where ``outputs`` are those of stacks, as far as they are known."""
    ids = Ids(outputs)
    if wants_dashboards(spec):
        _ids(spec, ids)
    return ids.in_order()


def _ids(spec: Spec, ids: Ids) -> dict[str, str]:
    return {file_system_key(kind, number): ids.of(kind, number=number) for kind, number in needed_ids(spec)}


def _file_of(name: str) -> str:
    return f"{FOLDER}/{name}.json"
