"""cfn-lint, an outside judge, on the stack of every architecture and option with what the spec says to it."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

from tests.architectures.by_platform import architectures_on
from tests.cfn_lint import objections
from tests.platforms.batch.rendering.resolved import stack_of
from trainyard.bundle.assemble import parameters_list
from trainyard.platforms.batch.rendering.documents import native_template
from trainyard.spec.parsing import parse

# Optional parameters are blank by default, and so not of the form that their resources demand; the second is the same
# of what Fn::Split makes of one.
ALLOWED_WARNINGS = ("W1030", "W1033")
REGIONS = ("us-east-1", "us-east-2")
TYPES = (
    "p4d.24xlarge",
    "p5.48xlarge",
    "p5en.48xlarge",
    "p6-b200.48xlarge",
    "p6-b300.48xlarge",
    "trn1.32xlarge",
    "m5.large",
)
ARN = "arn:aws:iam::123456789012:policy/p"
CAPACITIES = (
    "on-demand",
    "{reservation: cr-0123456789abcdef0}",
    "{reservation_group: 'arn:aws:resource-groups:us-east-2:123456789012:group/g'}",
    "{capacity_block: cr-0123456789abcdef0}",
)
OPTIONS = {
    "file-systems": """\
file_systems:
  - {mount: /fsx, lustre: {id: fs-0123456789abcdef0}}
  - {mount: /home, openzfs: {id: fsvol-0123456789abcdef0}}
  - {mount: /efs, efs: {id: fs-0123456789abcdef1, access_point: fsap-0123456789abcdef0}}
""",
    "roles": f"iam: {{permissions_boundary: '{ARN}', resource_prefix: /team/ml-, policies: ['{ARN}']}}\n"
    f"batch: {{job_policies: ['{ARN}']}}\n",
    "images": """\
image: {ami: ami-0123456789abcdef0}
access: {ssh_key: mine}
batch:
  stress_image: public.ecr.aws/mine/stress-ng:1
  nccl_image: public.ecr.aws/mine/nccl-tests:1
  pytorch_image: 123456789012.dkr.ecr.us-east-2.amazonaws.com/mine/train:1
""",
    "monitoring": "monitoring: {detailed: true, dashboard: false, keep_logs: false, log_retention_days: 30}\n"
    "batch: {container_insights: enhanced, huge_pages: 0, shared_memory_gib: 8, job_attempts: 3}\n"
    "tags: {Name: mine, team: a b}\n",
    "key": "iam: {kms_key: 'arn:aws:kms:us-east-2:123456789012:key/12345678-1234-1234-1234-123456789012'}\n",
}


def lint(folder: Path, specs: dict[str, str], regions: tuple[str, ...] = REGIONS) -> dict[str, list[str]]:
    """Return what is said about each spec's stack, nothing where nothing is."""
    said = {}
    for name, text in specs.items():
        stack = stack_of(parse(text, name).spec)
        template, parameters = folder / f"{name}.yaml", folder / f"{name}.json"
        template.write_text(stack.template, encoding="utf-8")
        parameters.write_text(json.dumps(parameters_list(stack)), encoding="utf-8")
        said[name] = objections(template, parameters=[parameters], ignored=ALLOWED_WARNINGS, regions=regions)
    return {name: found for name, found in said.items() if found}


def whole(queues: str, options: str) -> str:
    return f"name: llm\nregion: us-east-2\nplatform: batch\n{options}queues: [{queues}]\n"


@pytest.mark.integration
def test_the_file_in_the_package_is_a_template_that_can_be_deployed_as_it_is(tmp_path: Path):
    file = tmp_path / "batch.yaml"
    file.write_text(native_template(), encoding="utf-8")
    assert objections(file, ignored=ALLOWED_WARNINGS, regions=REGIONS) == []


@pytest.mark.parametrize(
    "share",
    [pytest.param(3, marks=pytest.mark.integration, id="few"), pytest.param(1, marks=pytest.mark.exhaustive, id="all")],
)
def test_cfn_lint_has_nothing_to_say_about_any_architecture(tmp_path: Path, share: int):
    texts = {architecture.name: architecture.text for architecture in architectures_on("batch")[::share]}
    assert lint(tmp_path, texts) == {}


@pytest.mark.exhaustive
def test_nor_about_any_option_or_several_queues(tmp_path: Path):
    queue = "{name: gpu, instance_type: p4d.24xlarge, nodes: {min: 0, max: 4}}"
    specs = {name: whole(queue, text) for name, text in OPTIONS.items()}
    other = "{name: cpu, instance_type: m5.large, nodes: 2, root_volume: {type: io2, iops: 4000, encrypted: false}}"
    assert lint(tmp_path, specs | {"two-queues": whole(f"{queue}, {other}", "")}, REGIONS[1:]) == {}


@pytest.mark.exhaustive
@pytest.mark.parametrize("instance_type", TYPES)
def test_nor_about_any_type_with_any_capacity_and_option(tmp_path: Path, instance_type: str):
    specs = {
        f"{number}-{name}": whole(f"{{name: q, instance_type: {instance_type}, capacity: {capacity}}}", OPTIONS[name])
        for (number, capacity), name in itertools.product(enumerate(CAPACITIES), OPTIONS)
    }
    assert lint(tmp_path, specs) == {}
