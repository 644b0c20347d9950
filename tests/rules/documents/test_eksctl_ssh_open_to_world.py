import pytest

from tests.rules.documents.found import managed, paths

RULE = "eksctl-ssh-open-to-world"


@pytest.mark.parametrize(
    "ssh", ["allow: true", "publicKeyName: key", "publicKeyPath: ~/.ssh/id.pub", "publicKey: ssh-rsa"]
)
def test_allowed_ssh_and_a_key_by_itself_are_found(ssh: str):
    assert paths(RULE, managed(f"ssh: {{{ssh}}}")) == ["managedNodeGroups[0].ssh"]


@pytest.mark.parametrize(
    "keys",
    [
        "privateNetworking: true, ssh: {allow: true}",
        "ssh: {enableSsm: true}",
        "ssh: {allow: false, publicKeyName: key}",
        "ssh: {allow: true, sourceSecurityGroupIds: [sg-1]}",
    ],
)
def test_private_nodes_ssm_and_named_sources_are_fine(keys: str):
    assert paths(RULE, managed(keys)) == []
