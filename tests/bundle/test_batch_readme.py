"""The commands in the README of a cluster of AWS Batch: that AWS knows them, and that they come in a possible order."""

from __future__ import annotations

import re

import pytest

from tests.bundle.readme_commands import arguments, aws_commands, code_lines, operation, readme_of
from tests.bundle.test_by_hand import values_that_are_not_listed
from tests.each_case import each_case
from tests.specs import spec_of
from trainyard.bundle.assemble import assemble

QUEUE = "{name: gpu, instance_type: p4d.24xlarge, nodes: {min: 0, max: 4}}"
SMALL = f"""\
platform: batch
queues: [{QUEUE}]
file_systems: [{{mount: /fsx, lustre: {{size_gib: 1200, deployment: SCRATCH_2}}}}]
"""
RESERVED = "capacity: {reservations: [cr-0123456789abcdef0, cr-0123456789abcdef1]}"
LARGE = f"""\
platform: batch
image: {{ami: ami-0123456789abcdef0}}
iam: {{kms_key: 'arn:aws:kms:us-east-2:123456789012:key/12345678-1234-1234-1234-123456789012'}}
monitoring: {{mode: amp-only}}
queues: [{QUEUE}, {{name: big, instance_type: p5.48xlarge, nodes: {{min: 0, max: 4}}, {RESERVED}}}]
"""
PARTS = {"small": SMALL, "large": LARGE}
# What the command line adds to the calls of the API.
NOT_IN_THE_API = {"ecr get-login-password"}


def commands(part: str) -> list[list[str]]:
    return [words for words in aws_commands(readme_of(part)) if " ".join(words[1:3]) not in NOT_IN_THE_API]


@each_case(
    "words",
    [
        pytest.param(words, id=f"{name}-{' '.join(words[1:3])}")
        for name, part in PARTS.items()
        for words in commands(part)
    ],
)
def test_every_word_of_a_command_is_one_that_aws_knows(words: list[str]):
    if words[1:3] == ["batch", "submit-job"]:
        words = [
            word for word in words if not word.startswith(("file://", "--cli-input-json", "numNodes", "--node-over"))
        ]
        if "--job-name" not in words:
            return  # the whole request stands in the file, which the tests of bench/ hold against the model
    shape = operation(words).input_shape
    given = arguments([re.sub(r"\$[A-Z_0-9]+", "subnet-0123456789abcdef0", word) for word in words])
    assert list(values_that_are_not_listed(shape, given)) == []


@pytest.mark.parametrize("part", PARTS.values(), ids=PARTS)
def test_every_variable_is_set_before_it_is_used_and_every_stand_in_written_in(part: str):
    bundle = assemble(spec_of(part))
    lines = code_lines(bundle.files["README.md"].decode())
    used_at = {name: n for n, line in reversed(list(enumerate(lines))) for name in re.findall(r"\$([A-Z_0-9]+)", line)}
    set_at = {line.split("=")[0]: n for n, line in reversed(list(enumerate(lines))) if re.match(r"[A-Z_0-9]+=", line)}
    assert set(used_at) <= set(set_at)
    assert all(set_at[name] < used_at[name] for name in used_at)
    assert all(f"s#{stand_in.value}#" in "\n".join(lines) for stand_in in bundle.stand_ins)


def test_a_template_that_is_too_long_for_a_request_goes_to_a_bucket():
    by_url = [re.findall(r"--template-url \S+/(\S+)", readme_of(part)) for part in (LARGE, SMALL)]
    assert by_url == [["rules.yaml", "batch.yaml"], []]


def test_the_cluster_is_made_after_its_network_and_removed_before():
    lines = code_lines(readme_of(SMALL))
    made = [re.search(r"--stack-name \S+?-(\w+) ", line)[1] for line in lines if "create-stack" in line]  # type: ignore[index]  # all have one
    gone = [line.rpartition("-")[2] for line in lines if "delete-stack" in line]
    assert made == ["network", "storage", "batch"]
    assert gone == made[::-1]


def test_every_image_is_built_of_a_folder_of_the_bundle_for_the_processors_of_the_nodes():
    files = assemble(spec_of(SMALL)).files
    built = [line.split() for line in code_lines(readme_of(SMALL)) if line.startswith("docker build")]
    assert [words[-1] for words in built] == ["images/stress-ng/", "images/pytorch/"]
    assert all(f"{words[-1]}Dockerfile" in files for words in built)
    assert {words[words.index("--platform") + 1] for words in built} == {"linux/amd64"}


def test_what_trainyard_does_in_one_command_stands_beside_what_takes_several():
    spec = spec_of(SMALL)
    said = [line for line in code_lines(readme_of(SMALL)) if re.match("trainyard (batch|bench|diagnose) ", line)]
    assert said == [
        f"trainyard {words} --region {spec.region}{more}"
        for words, more in (
            (f"batch image {spec.name} stress-ng", ""),
            (f"batch image {spec.name} pytorch", ""),
            (f"batch submit {spec.name}", " --nodes 2"),
            (f"bench submit {spec.name}", ""),
            (f"diagnose {spec.name}", ""),
        )
    ]


def test_nothing_is_said_about_parallelcluster():
    for part in PARTS.values():
        assert "pcluster" not in readme_of(part)
        assert "ParallelCluster" not in readme_of(part)
