"""What cannot be updated from one configuration to another, by the update policies of ParallelCluster itself.

https://docs.aws.amazon.com/parallelcluster/latest/ug/using-pcluster-update-cluster-v3.html
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from trainyard.document.node import Document
from trainyard.document.write import yaml_text
from trainyard.edge.pcluster import ClusterConfig, classify_update, known_versions, load_schemas
from trainyard.edge.pcluster_answers import ClassifiedChange
from trainyard.errors import InputError
from trainyard.finding import Finding, Path, Severity, path_text
from trainyard.foreign_text import quoted
from trainyard.platform_parts import FormerFile
from trainyard.platforms.parallelcluster.config_check import judging_version
from trainyard.platforms.parallelcluster.deployment.classification import place_in_config
from trainyard.platforms.parallelcluster.overlay import overlay_path
from trainyard.platforms.parallelcluster.rendering.origin import spec_path
from trainyard.render.rendering import render
from trainyard.render.stand_ins import in_words
from trainyard.spec.parsing import ParsedSpec, parse

_SOURCE = "https://docs.aws.amazon.com/parallelcluster/latest/ug/using-pcluster-update-cluster-v3.html"
_ANY_NAME, _ANY_REGION = "cluster", "us-east-1"
_LONGEST = 60


def file_update_findings(
    former: FormerFile, document: Document, text: str, asked: str | None, report: Callable[[str], None]
) -> Iterator[Finding]:
    """Yield what of a configuration cannot be updated from a former one, or not while the cluster runs."""
    version = asked or known_versions()[-1]
    written = document.value.get("Region") if isinstance(document.value, Mapping) else None
    region = written if isinstance(written, str) else _ANY_REGION
    configs = [ClusterConfig(one, _ANY_NAME, region) for one in (former.text, text)]
    for change in _changes(configs, (former.name, document.file), version, report):
        path = place_in_config(document.value, change.path)
        yield from _findings(change, document, path, version, former.name)


def spec_update_findings(
    former: FormerFile, parsed: ParsedSpec, asked: str | None, report: Callable[[str], None]
) -> Iterator[Finding]:
    """Yield the same of a spec, as both render, at its own lines."""
    spec, former_spec = parsed.spec, parse(former.text, former.name).spec
    former_config, config = (render(one, {}).documents["cluster.yaml"] for one in (former_spec, spec))
    version = asked or judging_version(spec.parallelcluster.version)
    configs = [ClusterConfig(yaml_text(one), spec.name, spec.region) for one in (former_config, config)]
    for change in _changes(configs, (former.name, parsed.document.file), version, report):
        rendered = place_in_config(config, change.path)
        path = overlay_path(spec, rendered) or spec_path(spec, rendered)
        yield from _findings(change, parsed.document, path, version, former.name)
    if spec.parallelcluster.version != former_spec.parallelcluster.version:
        yield _finding(
            parsed.document,
            ("parallelcluster", "version"),
            "error",
            f"no update takes a cluster from ParallelCluster {former_spec.parallelcluster.version} in {former.name} to "
            f"{spec.parallelcluster.version}",
            "let `trainyard replace` make a second cluster that takes over",
        )


def _changes(
    configs: Sequence[ClusterConfig], files: Sequence[str], version: str, report: Callable[[str], None]
) -> tuple[ClassifiedChange, ...]:
    for file, complaints in zip(files, load_schemas(configs, version=version, report=report), strict=True):
        if complaints:
            where = path_text(complaints[0].path) or "the configuration"
            raise InputError(
                f"{file} cannot be compared: ParallelCluster {version} refuses {where}: {complaints[0].message}",
                where=file,
                hint="`trainyard check --with-parallelcluster` says more",
            )
    former, config = configs
    return classify_update(former, config, version=version, report=report)


def _findings(
    change: ClassifiedChange, document: Document, path: Path, version: str, former_file: str
) -> Iterator[Finding]:
    if {"live", "live-logins"} & set(change.allowed_when):
        return
    former, new = _shown(change.current), _shown(in_words(change.requested))
    of = f"{'.'.join(change.path)} from {former} in {former_file} to {new}"
    why = f"{change.reason} ({change.policy})" if change.reason else change.policy
    if not change.allowed_when:
        message = f"no update by ParallelCluster {version} changes {of}: {why}"
        yield _finding(document, path, "error", message, "keep the former value, or make a new cluster")
        return
    message = f"an update by ParallelCluster {version} changes {of} only after {_need(change.allowed_when)}: {why}"
    yield _finding(document, path, "warning", message, "plan for it: jobs on these nodes end")


def _need(states: Sequence[str]) -> str:
    """Return what has to be done, the least disturbance first."""
    words = {"drain": "DRAIN as QueueUpdateStrategy", "terminate": "TERMINATE as QueueUpdateStrategy"}
    ways = [words.get(state.removesuffix("-logins"), "a stop of the compute fleet") for state in states]
    logins = " with login nodes stopped" if all(state.endswith("-logins") for state in states) else ""
    return " or ".join(dict.fromkeys(ways)) + logins


def _shown(value: Any) -> str:
    return "nothing" if value is None else quoted(str(value), _LONGEST)


def _finding(document: Document, path: Path, severity: Severity, message: str, remedy: str) -> Finding:
    place = document.place(path)
    return Finding(
        "parallelcluster-update", severity, message, remedy, _SOURCE, document.file, place.line, place.column,
        path_text(path) or None,
    )  # fmt: skip
