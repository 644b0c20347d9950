"""The instances that run in the account, and how many vCPUs types have."""

from __future__ import annotations

from trainyard.catalog.instances import find
from trainyard.deploy.preflights import PreflightContext
from trainyard.edge.aws import ec2

# Of every node: PCLUSTER_CLUSTER_NAME_TAG in pcluster/constants.py, https://github.com/aws/aws-parallelcluster
_CLUSTER_TAG = "parallelcluster:cluster-name"


def own_instances(context: PreflightContext) -> tuple[ec2.Described, ...]:
    """Return the instances that an earlier deployment of the same cluster runs."""
    return tuple(instance for instance in context.ask(ec2.used_instances) if is_own(context, instance))


def is_own(context: PreflightContext, instance: ec2.Described) -> bool:
    """Return whether an instance is a node of this cluster already."""
    return ec2.tags_of(instance).get(_CLUSTER_TAG) == context.spec.name


def is_to_be_free(context: PreflightContext, instance: ec2.Described) -> bool:
    """Return whether an instance is a node of the cluster that this one takes over from."""
    return context.replaces is not None and ec2.tags_of(instance).get(_CLUSTER_TAG) == context.replaces


def vcpus_of(context: PreflightContext, names: frozenset[str]) -> dict[str, int]:
    """Return the default vCPUs of instance types; those that nobody knows are left out."""
    vcpus = {name: facts.vcpus for name in names if (facts := find(name)) is not None and facts.vcpus is not None}
    unknown = tuple(sorted(names - vcpus.keys()))
    types_ = context.ask(ec2.instance_types, unknown) if unknown else {}
    return {**vcpus, **{name: int(type_["VCpuInfo"]["DefaultVCpus"]) for name, type_ in types_.items()}}
