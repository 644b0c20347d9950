from tests.rules.documents.found import paths

RULE = "eksctl-name-too-long"


def named(cluster: str, group: str) -> str:
    return f"metadata: {{name: {cluster}, region: us-east-2}}\nnodeGroups: [{{name: {group}}}]"


def test_names_that_no_label_holds_are_found():
    assert paths(RULE, named("c" * 64, "ng")) == ["metadata.name"]
    assert paths(RULE, named("c", "n" * 64)) == ["nodeGroups[0].name"]


def test_two_names_that_are_too_long_for_a_stack_together_are_found():
    assert paths(RULE, named("c" * 60, "n" * 51)) == ["nodeGroups[0].name"]
    assert paths(RULE, named("c" * 60, "n" * 50)) == []


def test_names_of_63_characters_are_fine():
    assert paths(RULE, named("c" * 63, "ng")) == []
