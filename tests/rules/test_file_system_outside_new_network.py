import pytest

from tests.rules.found import paths

RULE = "file-system-outside-new-network"
LUSTRE = "lustre: {id: fs-0123456789abcdef0}"
OPENZFS = "openzfs: {id: fsvol-0123456789abcdef0}"


def part(file_system: str, more: str = "") -> str:
    return f"file_systems: [{{mount: /apps, ebs: {{size_gib: 200}}}}, {{mount: /data, {file_system}}}]\n{more}"


@pytest.mark.parametrize("file_system", [LUSTRE, OPENZFS, "efs: {id: fs-0123456789abcdef0}"])
@pytest.mark.parametrize(
    "network", ["", "network: {availability_zone: us-east-2a}\n", "network: {cidr: 10.9.0.0/16}\n"]
)
def test_what_exists_is_found_beside_a_network_to_be_made(file_system: str, network: str):
    kind = file_system.partition(":")[0]
    assert paths(RULE, part(file_system, network)) == [f"file_systems[1].{kind}.id"]


@pytest.mark.parametrize(
    "file_system",
    ["lustre: {size_gib: 4800}", "openzfs: {size_gib: 64}", "efs: {}", "ebs: {id: vol-0123456789abcdef0}"],
)
def test_what_is_made_and_what_only_has_a_zone_is_fine(file_system: str):
    assert paths(RULE, part(file_system)) == []


@pytest.mark.parametrize(
    "more",
    [
        "network: {existing: {vpc: vpc-0123456789abcdef0, private_subnets: [subnet-0123456789abcdef0]}}\n",
        "environment: use2\n",
        "queues: [{name: q, instance_type: m5.large, subnet: subnet-0123456789abcdef0}]\n",
        "head_node: {subnet: subnet-0123456789abcdef0}\n",
    ],
)
def test_nothing_is_claimed_where_the_vpc_exists(more: str):
    assert paths(RULE, part(LUSTRE, more)) == []
