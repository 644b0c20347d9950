from __future__ import annotations

import pytest

from tests.architectures.by_platform import architectures_on
from tests.each_case import each_case
from tests.specs import spec_of
from trainyard.architectures import all_architectures
from trainyard.deploy.deployment import steps_to_deploy
from trainyard.platform_table import PLATFORMS, platform_of
from trainyard.rehearsal.emulated.breakdown import breakdowns
from trainyard.rehearsal.report.conditions import (
    CONDITIONS,
    STAGES,
    applicable_entries,
    entries,
    needs,
    only_aws_can_tell,
    proved_claims,
)
from trainyard.render.cloudformation.resources import resources
from trainyard.render.cloudformation.stacks import stacks
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec
from trainyard.spec.parsing import parse

ENVIRONMENT = """\
kind: environment
name: shared
region: us-east-2
network: {availability_zone: us-east-2a, secondary_availability_zone: us-east-2b}
monitoring: {mode: self-hosting}
"""
EXAMPLES = (*(architecture.text for architecture in all_architectures()), ENVIRONMENT)
FILES = ("claims.yaml", "only_aws_can_tell.yaml")
RESERVED = "queues: [{name: q, instance_type: p5.48xlarge, capacity: {reservation: cr-0123456789abcdef0}}]"


@pytest.mark.parametrize("file", FILES)
def test_every_entry_has_an_id_of_its_own_a_text_and_a_source(file: str):
    ids = [entry["id"] for entry in entries(file)]
    assert len(ids) == len(set(ids))
    for entry in entries(file):
        assert set(entry) <= {"id", "when", "after", "unless", "text", "source"}
        assert entry["text"].endswith(".")
        assert entry["source"].startswith("https://")


def test_every_condition_is_used_and_every_one_that_is_used_exists():
    used = {entry["when"] for file in FILES for entry in entries(file) if "when" in entry}
    used |= {breakdown.needs for breakdown in breakdowns().values()} - {""}
    own = [name for platform in PLATFORMS.values() for name in platform.rehearsal().CONDITIONS]
    assert sorted(used) == sorted([*CONDITIONS, *own])


def test_only_what_needs_no_account_is_claimed_before_a_step_has_succeeded():
    claims = {entry["id"] for entry in entries("claims.yaml") if needs(entry) <= {"checked"}}
    assert claims == {"rules", "file_systems"}


@each_case("text", EXAMPLES, ids=[parse(text, "cluster.yaml").spec.name for text in EXAMPLES])
def test_every_claim_waits_for_steps_that_its_deployment_has(text: str):
    spec = parse(text, "cluster.yaml").spec
    steps = step_names(spec)
    assert not {*steps} & {*STAGES}
    applying = {entry["id"]: entry for entry in applicable_entries("claims.yaml", spec)}
    late = {id_: needs(entry) - {*steps, *STAGES} for id_, entry in applying.items()}
    assert {id_: names for id_, names in late.items() if names} == {}
    assert len(proved_claims(spec, [*steps, *STAGES])) == len(applying)


@each_case("text", EXAMPLES, ids=[parse(text, "cluster.yaml").spec.name for text in EXAMPLES])
def test_whatever_step_fails_nothing_is_claimed_that_it_or_a_later_one_proves(text: str):
    spec = parse(text, "cluster.yaml").spec
    steps = step_names(spec)
    for at in range(len(steps)):
        claimed = proved_claims(spec, ["checked", *steps[:at]])
        open_claims = [
            entry["text"]
            for entry in applicable_entries("claims.yaml", spec)
            if needs(entry) & {*steps[at:], "deployed", "destroyed", "nothing_left"}
        ]
        assert not [claim for claim in claimed if any(claim.startswith(text) for text in open_claims)], steps[at]


@pytest.mark.parametrize(
    ("claim", "part", "types"),
    [
        ("network", "network: {availability_zone: us-east-1a}", {"VPC", "Subnet", "Route"}),
        ("alerts", "monitoring: {mode: amp-only}", {"Workspace", "RuleGroupsNamespace", "TopicPolicy"}),
    ],
)
def test_a_claim_about_resources_waits_for_every_stack_that_makes_them(claim: str, part: str, types: set[str]):
    spec = spec_of(part)
    made = {
        stack.kind: {resource.type.rpartition("::")[2] for resource in resources(stack)}
        for stack in stacks(spec, Ids({}))
    }
    assert types <= {type_ for kind in made for type_ in made[kind]}
    (entry,) = (entry for entry in applicable_entries("claims.yaml", spec) if entry["id"] == claim)
    assert {kind for kind in made if made[kind] & types} <= needs(entry)


def step_names(spec: Spec) -> list[str]:
    """Return every step of a rehearsal's deployment in its order, jobs included."""
    jobs = platform_of(spec).rehearsal().jobs()
    return [step.name for step in (*steps_to_deploy(spec), *([] if jobs is None else [jobs]))]


@pytest.mark.parametrize(
    ("part", "word"),
    [
        (RESERVED, "capacity reservation exists"),
        (RESERVED.replace("reservation", "capacity_block"), "Capacity Block was bought"),
        ("queues: [{name: q, instance_type: p5.48xlarge, capacity: spot}]", "Spot instances"),
        ("queues: [{name: q, instance_type: p5.48xlarge}]", "EFA carries traffic"),
        ("image: {ami: ami-0123456789abcdef0}", "your image exists"),
        ("software: {setup: gpu}", "bootstrap scripts run"),
        ("monitoring: {mode: amp+amg}", "IAM Identity Center"),
        ("monitoring: {mode: amp+amg}", "Grafana takes data source"),
        ("monitoring: {mode: amp-only}", "an alert reaches anybody"),
        ("monitoring: {mode: self-hosting}", "Grafana was never started"),
        (
            "monitoring: {mode: self-hosting, certificate: 'arn:aws:acm:us-east-2:123456789012:certificate/1a2b'}",
            "certificate of the load balancer",
        ),
        ("head_node: {custom_actions: {on_start: [{script: s3://mine/a.sh}]}}", "your own scripts"),
        ("network: {internet: none}", "VPC endpoints"),
        ("file_systems: [{mount: /fsx, lustre: {id: fs-0123456789abcdef0}}]", "file systems that you name"),
    ],
)
def test_what_is_open_follows_from_what_the_spec_has(part: str, word: str):
    plain = spec_of("queues: [{name: q, instance_type: m5.large}]")
    assert any(word in point for point in only_aws_can_tell(spec_of(part)))
    assert not any(word in point for point in only_aws_can_tell(plain))


@each_case("architecture", architectures_on("parallelcluster"), ids=lambda one: one.name)
@each_case("word", ["your own user", "quotas", "Slurm", "costs", "boot", "How long"])
def test_every_rehearsal_says_what_no_rehearsal_can_know(architecture, word: str):
    spec = parse(architecture.text, "cluster.yaml").spec
    assert any(word in point for point in only_aws_can_tell(spec))
