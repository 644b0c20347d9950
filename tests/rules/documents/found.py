"""What one rule says about part of a document, in a form that tests compare."""

from __future__ import annotations

from tests.examples import read_example
from trainyard.finding import path_text
from trainyard.rules import Problem, all_document_rules


def problems(rule_id: str, part: str) -> list[Problem]:
    """Return the problems that a rule finds in a document of which only a part is written out."""
    rule = next(named for named in all_document_rules() if named.id == rule_id)
    return list(rule.check(read_example(rule.kinds[0], part)))


def paths(rule_id: str, part: str) -> list[str]:
    """Return the places of those problems."""
    return [path_text(problem.path) for problem in problems(rule_id, part)]


def managed(keys: str) -> str:
    """Return a managed node group of a ClusterConfig, in braces."""
    return f"managedNodeGroups: [{{name: ng, {keys}}}]"


def template(*resources: str, more: str = "") -> str:
    """Return a template with resources, each its type below AWS:: and its properties, called A, B …"""
    named = zip("ABCDEFGH", resources, strict=False)
    listed = ", ".join(
        f"{name}: {{Type: AWS::{one.partition(' ')[0]}, Properties: {one.partition(' ')[2]}}}" for name, one in named
    )
    return f"Resources: {{{listed}}}\n{more}"


def launching(data: str) -> str:
    """Return a launch template for ``template``."""
    return f"EC2::LaunchTemplate {{LaunchTemplateData: {data}}}"


def environment(resources: str) -> str:
    """Return a compute environment for ``template``."""
    return f"Batch::ComputeEnvironment {{ComputeResources: {resources}}}"


def multi_node(container: str) -> str:
    """Return a multi-node job definition with one range of nodes for ``template``."""
    return f"Batch::JobDefinition {{NodeProperties: {{NodeRangeProperties: [{{Container: {container}}}]}}}}"


def manifest_pod(container: str, pod: str = "") -> str:
    """Return a pod with one container, each with more keys in braces' form."""
    return f"spec: {{containers: [{{name: a, image: 'r/a:1', {container}}}], {pod}}}\n"


def training_job(container: str, pod: str = "", *, replicas: str = "2", more: str = "") -> str:
    """Return a PyTorchJob of workers with one container each."""
    template = f"{{spec: {{containers: [{{name: a, image: 'r/a:1', {container}}}], {pod}}}}}"
    replica = f"{{replicas: {replicas}, template: {template}}}"
    api = "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\n"
    return f"{api}spec: {{pytorchReplicaSpecs: {{Worker: {replica}}}, {more}}}\n"


def on_type(*names: str) -> str:
    """Return a required affinity to instance types, as a key of a pod."""
    expression = f"{{key: node.kubernetes.io/instance-type, operator: In, values: [{', '.join(names)}]}}"
    terms = f"{{nodeSelectorTerms: [{{matchExpressions: [{expression}]}}]}}"
    return f"affinity: {{nodeAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: {terms}}}}}"


def limits(**amounts: object) -> str:
    """Return limits of devices, as a key of a container: gpu, efa and neuron."""
    names = {"gpu": "nvidia.com/gpu", "efa": "vpc.amazonaws.com/efa", "neuron": "aws.amazon.com/neuron"}
    written = ", ".join(f"{names[name]}: {amount}" for name, amount in amounts.items())
    return f"resources: {{limits: {{{written}}}}}"
