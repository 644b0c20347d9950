import pytest

from tests.deploy.preflights.good import GROUP, PRIVATE, PUBLIC, VPC, changed, found, problems

PREFLIGHT = "network-not-found"
OTHER = "0123456789abcdef9"


@pytest.mark.parametrize(
    ("old", "new", "path"),
    [
        (VPC, f"vpc-{OTHER}", "network.existing.vpc"),
        (PUBLIC, f"subnet-{OTHER}", "network.existing.public_subnets[0]"),
        (PRIVATE, f"subnet-{OTHER}", "network.existing.private_subnets[0]"),
        (GROUP, f"sg-{OTHER}", "network.existing.security_groups[0]"),
        ("    nodes: 4\n", f"    nodes: 4\n    subnet: subnet-{OTHER}\n", "queues[0].subnet"),
    ],
)
def test_an_id_that_leads_nowhere_is_found_where_it_is_written(old, new, path):
    assert found(PREFLIGHT, changed(old, new)) == [path]


def test_the_message_names_account_and_id():
    (problem,) = problems(PREFLIGHT, changed(PRIVATE, f"subnet-{OTHER}"))
    assert problem.message == f"account 123456789012 has no subnet subnet-{OTHER}"
