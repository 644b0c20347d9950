"""One small spec for each platform and for an environment, each with an edit that updates what it has made."""

from __future__ import annotations

from typing import NamedTuple

from tests.rehearsal.whole import SPEC


class DisturbedSpec(NamedTuple):
    """A spec, and what it becomes."""

    text: str
    edited: str


_EKS = """\
name: llm
region: us-east-2
platform: eks
network: {availability_zone: us-east-2a, secondary_availability_zone: us-east-2b}
eks: {administrators: ["arn:aws:iam::123456789012:role/ml-admins"], kubernetes_version: "1.34"}
queues:
  - name: training
    instance_type: p5.48xlarge
    nodes: {min: 0, max: 2, desired: 1}
    capacity: {reservation: cr-0123456789abcdef0}
file_systems:
  - {mount: /fsx, lustre: {size_gib: 1200, throughput_mb_s_per_tib: 125}}
monitoring: {mode: amp-only}
"""
# The next version with its add-ons, another administrator in place of the first, another queue and other sizes.
_EKS_EDITED = (
    _EKS.replace("1.34", "1.35")
    .replace("ml-admins", "operators")
    .replace("desired: 1", "desired: 2")
    .replace("file_systems:", "  - {name: more, instance_type: g5.xlarge, nodes: 1}\nfile_systems:")
)
_BATCH = """\
name: mnp
region: us-east-2
platform: batch
network: {availability_zone: us-east-2a}
queues:
  - {name: training, instance_type: p5.48xlarge, nodes: {min: 0, max: 4}}
"""
_ENVIRONMENT = """\
name: use2
region: us-east-2
kind: environment
network: {availability_zone: us-east-2a}
file_systems:
  - {mount: /fsx, lustre: {size_gib: 1200, throughput_mb_s_per_tib: 125}}
monitoring: {mode: amp-only}
"""
# What changes beside a cluster of ParallelCluster; test_disturbed_updates.py has changes of the cluster itself.
_BESIDE = SPEC.replace("size_gib: 1200", "size_gib: 2400").replace(
    "mode: amp-only", "mode: amp-only, alert_email: ml@example.com"
)
DISTURBED_SPECS = {
    "eks": DisturbedSpec(_EKS, _EKS_EDITED),
    "batch": DisturbedSpec(
        _BATCH, f"{_BATCH}  - {{name: small, instance_type: g5.xlarge, nodes: {{min: 0, max: 2}}}}\n"
    ),
    "environment": DisturbedSpec(_ENVIRONMENT, _ENVIRONMENT.replace("size_gib: 1200", "size_gib: 2400")),
    "parallelcluster": DisturbedSpec(SPEC, _BESIDE),
}
