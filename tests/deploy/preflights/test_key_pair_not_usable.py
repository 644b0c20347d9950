from typing import Any

from tests.deploy.preflights.good import IMAGE, changed, found, problems

PREFLIGHT = "key-pair-not-usable"
NONE: dict[str, Any] = {"ec2.DescribeKeyPairs": {"KeyPairs": []}}
RSA: dict[str, Any] = {"ec2.DescribeKeyPairs": {"KeyPairs": [{"KeyName": "ml-key", "KeyType": "rsa"}]}}


def test_a_key_pair_that_is_not_there_is_found():
    (problem,) = problems(PREFLIGHT, answers=NONE)
    assert problem.path == ("access", "ssh_key")
    assert problem.message == "account 123456789012 has no key pair 'ml-key' in us-east-2"


def test_one_that_the_deployment_creates_may_be_missing():
    assert found(PREFLIGHT, answers=NONE, creates_key_pair=True) == []


def test_ubuntu_takes_no_rsa_keys_and_amazon_linux_does():
    assert found(PREFLIGHT, answers=RSA) == ["access.ssh_key"]
    assert found(PREFLIGHT, changed(f"os: ubuntu2204, ami: {IMAGE}", "os: alinux2023"), RSA) == []


def test_the_key_pair_of_login_nodes_is_looked_at_too():
    spec = changed("login_nodes: {", "login_nodes: {ssh_key: other, ")
    assert found(PREFLIGHT, spec) == ["login_nodes.ssh_key"]


def test_without_a_key_pair_nothing_is_asked():
    assert found(PREFLIGHT, changed("  ssh_key: ml-key\n", ""), {"ec2.DescribeKeyPairs": {}}) == []
