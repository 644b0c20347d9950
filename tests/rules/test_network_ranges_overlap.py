from tests.each_case import each_case
from tests.rules.found import paths, problems

RULE = "network-ranges-overlap"


@each_case(
    "keys",
    [
        "connected_ranges: [10.2.0.0/15, 192.168.0.0/16]",
        "cidr: 172.20.0.0/16, connected_ranges: [10.0.0.0/8, 172.21.0.0/16]",
        "cidr: 10.2.0.0/16",
    ],
)
def test_networks_without_a_shared_address_are_fine(keys: str):
    assert paths(RULE, f"network: {{{keys}}}") == []


@each_case(
    ("keys", "place"),
    [
        ("connected_ranges: [192.168.0.0/16, 10.0.0.0/8]", "network.connected_ranges[1]"),
        ("connected_ranges: [10.1.128.0/24]", "network.connected_ranges[0]"),
        ("cidr: 172.20.0.0/16, connected_ranges: [172.20.3.4/32]", "network.connected_ranges[0]"),
        ("cidr: 172.17.0.0/16", "network.cidr"),
        ("cidr: 172.17.128.0/20", "network.cidr"),
    ],
)
def test_shared_addresses_are_found(keys: str, place: str):
    assert paths(RULE, f"network: {{{keys}}}") == [place]


def test_it_holds_on_every_platform():
    for platform in ("parallelcluster", "batch", "eks"):
        part = f"platform: {platform}\nnetwork: {{connected_ranges: [10.0.0.0/8]}}"
        (problem,) = problems(RULE, part)
        assert problem.message == (
            "10.0.0.0/8, which the network is to be connected to, overlaps with its own 10.0.0.0/16"
        )
