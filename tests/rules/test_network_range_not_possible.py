from tests.each_case import each_case
from tests.rules.found import paths, problems

RULE = "network-range-not-possible"
EXISTING = "existing: {vpc: vpc-0123456789abcdef0, private_subnets: [subnet-0123456789abcdef0]}"


@each_case("keys", ["cidr: 10.20.0.0/16", "cidr: 10.20.2.0/23", "cidr: 10.20.0.0/16, private_prefix: 20", "{}"])
def test_what_can_be_divided_is_fine(keys: str):
    assert paths(RULE, f"network: {{{keys}}}" if keys != "{}" else "") == []


@each_case(
    ("keys", "key"),
    [
        ("cidr: 10.0.0.0/8", "cidr"),
        ("cidr: 10.20.0.0/24", "cidr"),
        ("cidr: 10.20.0.1/16", "cidr"),
        ("cidr: 10.20.0.0/20, private_prefix: 20", "private_prefix"),
        ("cidr: 10.20.0.0/20, other_prefix: 22", "cidr"),
        ("private_prefix: 20", "private_prefix"),
        ("other_prefix: 20", "other_prefix"),
        (f"{EXISTING}, cidr: 10.20.0.0/16", "cidr"),
    ],
)
def test_everything_else_is_found(keys: str, key: str):
    assert paths(RULE, f"network: {{{keys}}}") == [f"network.{key}"]


def test_the_remedy_says_what_can_be_written():
    (problem,) = problems(RULE, "network: {cidr: 10.20.0.0/12}")
    assert problem.message == "10.20.0.0/12 has bits beyond its prefix"
    (problem,) = problems(RULE, "network: {cidr: 10.16.0.0/12}")
    assert problem.remedy == "write a range from /16 to /23"
