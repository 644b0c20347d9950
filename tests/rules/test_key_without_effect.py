import pytest

from tests.rules.found import paths

RULE = "key-without-effect"
SUBNETS = "private_subnets: [subnet-0123456789abcdef0], public_subnets: [subnet-0123456789abcdef1]"
EXISTING = f"existing: {{vpc: vpc-0123456789abcdef0, {SUBNETS}}}"


def test_a_zone_beside_an_existing_network_is_found():
    assert paths(RULE, f"network: {{availability_zone: us-east-2a, {EXISTING}}}") == ["network.availability_zone"]


@pytest.mark.parametrize("subnet", ["private", "subnet-0123456789abcdef0"])
def test_a_queue_s_zone_beside_an_existing_network_is_found(subnet: str):
    queue = f"{{name: q, instance_type: m5.large, availability_zone: us-east-2b, subnet: {subnet}}}"
    assert paths(RULE, f"network: {{{EXISTING}}}\nqueues: [{queue}]") == ["queues[0].availability_zone"]


def test_a_zone_of_a_public_queue_is_found_because_there_is_one_public_subnet():
    part = "queues: [{name: q, instance_type: m5.large, availability_zone: us-east-2b, subnet: public}]"
    assert paths(RULE, part) == ["queues[0].availability_zone"]


def test_a_zone_of_a_private_queue_in_a_network_to_be_made_is_fine():
    assert paths(RULE, "queues: [{name: q, instance_type: m5.large, availability_zone: us-east-2b}]") == []


def test_settings_of_a_file_system_that_exists_are_found_each():
    lustre = "{id: fs-0123456789abcdef0, deployment: SCRATCH_2, data_repository: s3://bucket}"
    assert paths(RULE, f"file_systems: [{{mount: /fsx, lustre: {lustre}}}]") == [
        "file_systems[0].lustre.data_repository",
        "file_systems[0].lustre.deployment",
    ]


def test_settings_of_a_file_system_to_be_made_are_fine():
    part = "file_systems: [{mount: /fsx, lustre: {size_gib: 4800, throughput_mb_s_per_tib: 250}}]"
    assert paths(RULE, part) == []
