"""Lets the real ParallelCluster judge a spec: renders it and loads the result with its own schema."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from trainyard.catalog.by_version import line_of
from trainyard.document.node import Document
from trainyard.document.write import yaml_text
from trainyard.edge.pcluster import Complaint, known_versions, load_schema
from trainyard.finding import Finding, path_text
from trainyard.platforms.parallelcluster.overlay import overlay_path
from trainyard.platforms.parallelcluster.rendering.origin import spec_path
from trainyard.render.rendering import render
from trainyard.spec.parsing import ParsedSpec

# A configuration has no name, and none of a region where its user gives that to pcluster besides.
_ANY_NAME, _ANY_REGION = "cluster", "us-east-1"
SOURCE = "https://docs.aws.amazon.com/parallelcluster/latest/ug/cluster-configuration-file-v3.html"


def parallelcluster_findings(
    parsed: ParsedSpec, asked_version: str | None, report: Callable[[str], None]
) -> Iterator[Finding]:
    """Yield what ParallelCluster's schema says about the rendered cluster.yaml, at the spec's own lines.

    Unless a version is asked for, the spec's own judges. Without a lock, that is the latest locked one of its line, and
    it is said. Raises TrainyardError where ParallelCluster cannot be run.
    """
    spec = parsed.spec
    config = yaml_text(render(spec, {}).documents["cluster.yaml"])
    version = asked_version or judging_version(spec.parallelcluster.version)
    if asked_version is None and version != spec.parallelcluster.version:
        yield _not_locked(parsed, version)
    complaints = load_schema(config, cluster_name=spec.name, region=spec.region, version=version, report=report)
    report(f"ParallelCluster {version} {'refuses' if complaints else 'accepts'} the cluster.yaml of {spec.name}")
    yield from (_finding(parsed, complaint, version) for complaint in complaints)


def file_findings(
    document: Document, text: str, asked_version: str | None, report: Callable[[str], None]
) -> Iterator[Finding]:
    """Yield what ParallelCluster's schema says about a configuration, where it says it; of the newest locked version.

    Raises TrainyardError where ParallelCluster cannot be run.
    """
    version = asked_version or known_versions()[-1]
    written = document.value.get("Region") if isinstance(document.value, Mapping) else None
    region = written if isinstance(written, str) else _ANY_REGION
    complaints = load_schema(text, cluster_name=_ANY_NAME, region=region, version=version, report=report)
    report(f"ParallelCluster {version} {'refuses' if complaints else 'accepts'} {document.file}")
    for complaint in complaints:
        place = document.place(complaint.path)
        where = path_text(complaint.path) or "the configuration"
        yield Finding(
            id="parallelcluster-schema",
            severity="error",
            message=f"ParallelCluster {version} refuses {where}: {complaint.message}",
            remedy="change what stands there",
            source=SOURCE,
            file=document.file,
            line=place.line,
            column=place.column,
            path=path_text(complaint.path) or None,
        )


def judging_version(version: str) -> str:
    """Return the version that judges specs of a version: without a lock, the latest locked one of its line."""
    of_line = [known for known in known_versions() if line_of(known) == line_of(version)]
    return version if version in of_line or not of_line else of_line[-1]


def _not_locked(parsed: ParsedSpec, version: str) -> Finding:
    path = ("parallelcluster", "version")
    place = parsed.document.place(path)
    return Finding(
        id="parallelcluster-not-locked",
        severity="warning",
        message=f"ParallelCluster {parsed.spec.parallelcluster.version} is not locked in this trainyard, so {version} "
        "of the same line judged the cluster.yaml",
        remedy=f"write {version}, or use a trainyard that has it: `deploy` can only run versions that are locked",
        source=SOURCE,
        file=parsed.document.file,
        line=place.line,
        column=place.column,
        path=path_text(path),
    )


def _finding(parsed: ParsedSpec, complaint: Complaint, version: str) -> Finding:
    path = overlay_path(parsed.spec, complaint.path) or spec_path(parsed.spec, complaint.path)
    place = parsed.document.place(path)
    where = path_text(complaint.path) or "the configuration"
    return Finding(
        id="parallelcluster-schema",
        severity="error",
        message=f"ParallelCluster {version} refuses {where}: {complaint.message}",
        remedy="change the value here; if it is right, the rendering is wrong: please report it",
        source=SOURCE,
        file=parsed.document.file,
        line=place.line,
        column=place.column,
        path=path_text(path) or None,
    )
