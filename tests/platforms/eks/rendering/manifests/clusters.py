"""Clusters of EKS whose manifests are looked at."""

from __future__ import annotations

from functools import cache
from typing import Any

from trainyard.architectures import all_architectures
from trainyard.platforms.eks.rendering.manifests import documents, manifests
from trainyard.render.bench.plan import bench_files
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec
from trainyard.spec.parsing import parse

FORM = """\
name: lab
region: us-east-2
platform: eks
network: {{availability_zone: us-east-2a, secondary_availability_zone: us-east-2b}}
queues:
{queues}
"""
P5 = "  - {name: train, instance_type: p5.48xlarge, nodes: 4}"
TRN1 = "  - {name: trn, instance_type: trn1.32xlarge, nodes: 2}"
G5 = "  - {name: small, instance_type: g5.xlarge, nodes: 2}"
CPU = "  - {name: cpu, instance_type: m5.8xlarge, nodes: 2}"
FSX = "file_systems:\n  - {mount: /fsx, lustre: {size_gib: 4800, throughput_mb_s_per_tib: 250}}\n"
AMP = "monitoring: {mode: amp-only}\n"


@cache
def cluster(queues: str = P5, more: str = "") -> Spec:
    """Return a cluster with these queues; ``more`` are further lines of the spec."""
    return parse(FORM.format(queues=queues) + more, "cluster.yaml").spec


@cache
def made(spec: Spec) -> dict[str, list[dict[str, Any]]]:
    """Return the documents of its manifests, by file."""
    return manifests(spec, Ids({}))


@cache
def bench_jobs(spec: Spec) -> dict[str, list[dict[str, Any]]]:
    """Return the documents of its bandwidth tests, by file."""
    return {name: documents(content.decode()) for name, content in bench_files(spec).items()}


def one(spec: Spec, file: str, kind: str) -> dict[str, Any]:
    """Return the only document of a kind in a file."""
    (found,) = [document for document in made(spec)[file] if document["kind"] == kind]
    return found


MORE = f"{FSX}  - {{mount: /data/sets, lustre: {{id: fs-0123456789abcdef1}}}}\nmonitoring: {{mode: amp+amg}}\n"
MORE += "eks: {operators: [training-operator, mpi-operator, jobset]}\n"
ALL = cluster(f"{P5}\n{TRN1}\n{G5}\n{CPU}", MORE)
"""One of everything."""
SPECS = {
    **{
        architecture.name: spec
        for architecture in all_architectures()
        if (spec := parse(architecture.text, "cluster.yaml").spec).platform == "eks"
    },
    "all": ALL,
    "least": cluster(CPU, "eks: {operators: []}\n"),
    "self-hosting": cluster(P5, "monitoring: {mode: self-hosting}\n"),
}
