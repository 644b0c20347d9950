import pytest

from tests.rules.found import paths, problems

RULE = "file-system-in-other-zone"
NETWORK = "network: {availability_zone: us-east-2a}\n"
LUSTRE = "lustre: {size_gib: 4800, throughput_mb_s_per_tib: 250}"


def part(file_system: str = LUSTRE, zones: str = "us-east-2b", more: str = "", network: str = NETWORK) -> str:
    queue = f"{{name: q, instance_type: m5.large, availability_zone: {zones}{more}}}"
    return f"{network}queues: [{queue}]\nfile_systems: [{{mount: /data, {file_system}}}]"


@pytest.mark.parametrize("file_system", [LUSTRE, "openzfs: {size_gib: 64}"])
def test_a_file_system_of_one_zone_is_found_at_the_queue_in_another(file_system: str):
    (problem,) = problems(RULE, part(file_system))
    assert problem.path == ("queues", 0, "availability_zone")
    assert problem.message == "queue 'q' is in us-east-2b, and /data will be in us-east-2a"


def test_of_several_zones_those_elsewhere_are_named():
    (problem,) = problems(RULE, part(zones="[us-east-2a, us-east-2b, us-east-2c]"))
    assert problem.message.startswith("queue 'q' is in us-east-2b, us-east-2c,")


@pytest.mark.parametrize("file_system", ["ebs: {size_gib: 200}", "efs: {}", "lustre: {id: fs-0123456789abcdef0}"])
def test_what_exists_or_stands_elsewhere_is_fine(file_system: str):
    assert paths(RULE, part(file_system)) == []


def test_one_zone_for_all_is_fine():
    assert paths(RULE, part(zones="us-east-2a")) == []


def test_nothing_is_claimed_where_the_zone_of_either_is_not_known():
    assert paths(RULE, part(network="")) == []
    assert paths(RULE, part(more=", subnet: subnet-0123456789abcdef0")) == []
    existing = "existing: {vpc: vpc-0123456789abcdef0, private_subnets: [subnet-0123456789abcdef0]}"
    assert paths(RULE, part(network=f"network: {{availability_zone: us-east-2a, {existing}}}\n")) == []
