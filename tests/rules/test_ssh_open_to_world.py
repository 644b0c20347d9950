import pytest

from tests.rules.found import paths

RULE = "ssh-open-to-world"


@pytest.mark.parametrize("cidr", ["0.0.0.0/0", "10.1.2.3/0", "128.0.0.0/1"])
def test_every_address_in_the_world_is_found(cidr: str):
    assert paths(RULE, f"access: {{allow_from: [203.0.113.7/32, {cidr}]}}") == ["access.allow_from[1]"]


def test_some_addresses_are_fine():
    assert paths(RULE, "access: {allow_from: [203.0.113.0/24, 10.0.0.0/8]}") == []
