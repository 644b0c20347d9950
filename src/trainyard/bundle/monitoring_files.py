"""What tells Prometheus what to do: files that nodes read, in the release, and the bundle's folder monitoring/.

Those in which ids stand come from `render/collection.py`, which both hold alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trainyard.bundle.cloudwatch_files import cloudwatch_files
from trainyard.bundle.config_text import config_text, with_heading
from trainyard.monitoring.aws_config import aws_config
from trainyard.monitoring.features import NEEDS, features_of
from trainyard.monitoring.grafana_files import grafana_files
from trainyard.monitoring.rules_text import rules_file
from trainyard.render.collection import AWS_CONFIG, HEAD_NODE, RULES, collection, grafana_url
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec

GRAFANA = "monitoring/grafana/"


def release_files(spec: Spec, ids: Ids) -> dict[str, bytes]:
    """Return what nodes read, by its name in the release."""
    files = {name: config_text(spec, document).encode() for name, document in collection(spec, ids).items()}
    if HEAD_NODE in files:
        files[AWS_CONFIG] = aws_config()
    return {**files, **({**_rules(spec, ids), **_for_grafana(spec)} if spec.has_monitoring_instance else {})}


def _rules(spec: Spec, ids: Ids) -> dict[str, bytes]:
    """Return the rules, with links to the panels of the cluster's own Grafana."""
    return {RULES: with_heading(spec, rules_file(grafana_url(spec, ids) or "")).encode()}


def _for_grafana(spec: Spec) -> dict[str, bytes]:
    """Return the dashboards. Those of an environment show all that any cluster in it may have."""
    has = NEEDS if spec.is_environment else features_of(spec)
    return {f"{GRAFANA}{name}": content for name, content in grafana_files(has).items()}


def bundle_files(spec: Spec, ids: Ids) -> dict[str, bytes]:
    """Return the files of the folder monitoring/, nothing where nothing is measured."""
    dashboards = cloudwatch_files(spec, ids)
    if spec.monitoring.mode == "none":
        return dashboards
    # With amp-only they are for a Grafana of the user's own. An environment has them for all of its clusters.
    own = spec.environment is None
    return {**release_files(spec, ids), **_rules(spec, ids), **(_for_grafana(spec) if own else {}), **dashboards}


def file_descriptions(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the files of the folder, or what stands for several of them, with what they are."""
    for pattern, what in _WHAT.items():
        beginning, star, end = pattern.partition("*")
        if any(name == pattern or (star and name.startswith(beginning) and name.endswith(end)) for name in names):
            yield pattern, what


_WHAT = {
    "monitoring/head-node.yml": "what Prometheus on the head node scrapes, and where it sends that",
    "monitoring/agent.yml": "what a Prometheus agent beside the nodes scrapes, and where it sends that",
    "monitoring/aws_config.ini": "where it finds credentials that are renewed",
    "monitoring/instance.yml": "what Prometheus on the monitoring instance does with that",
    "monitoring/alertmanager.yml": "whom its Alertmanager tells of alerts",
    "monitoring/rules.yml": "the alerts, and what is recorded for dashboards, as rules that Prometheus reads",
    "monitoring/grafana/*.json": "dashboards for Grafana",
    "monitoring/cloudwatch/*.json": "dashboards for CloudWatch, named as they are called there",
}
