from tests.rules.documents.found import paths

RULE = "parallelcluster-null-value"


def test_keys_and_members_of_lists_without_a_value_are_found():
    actions = "{OnNodeStart: {Sequence: }, OnNodeConfigured: {Sequence: [{Script: s3://b/a.sh, Args: [one, null]}]}}"
    assert paths(RULE, f"HeadNode: {{Ssh: {{KeyName: }}, CustomActions: {actions}}}") == [
        "HeadNode.Ssh.KeyName",
        "HeadNode.CustomActions.OnNodeStart.Sequence",
        "HeadNode.CustomActions.OnNodeConfigured.Sequence[0].Args[1]",
    ]


def test_what_is_missing_or_not_known_is_not_called_empty():
    assert paths(RULE, "HeadNode: {Unknown: }") == []
