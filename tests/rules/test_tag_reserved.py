import pytest

from tests.rules.found import paths

RULE = "tag-reserved"


@pytest.mark.parametrize("key", ["aws:x", "AWS:x", "parallelcluster:team", "trainyard:cluster"])
def test_tags_of_others_are_found(key: str):
    assert paths(RULE, f"tags: {{team: llm, '{key}': a}}") == [f"tags.{key}"]


def test_tags_that_only_contain_such_a_word_are_fine():
    assert paths(RULE, "tags: {awsome: a, 'my:aws:x': b}") == []


@pytest.mark.parametrize("key", ["alpha.eksctl.io/cluster-name", "kubernetes.io/cluster/llm", "eks:nodegroup-name"])
def test_tags_by_which_eksctl_and_eks_find_their_own_are_found_on_eks_alone(key: str):
    assert paths(RULE, f"platform: eks\ntags: {{'{key}': a}}") == [f"tags.{key}"]
    assert paths(RULE, f"tags: {{'{key}': a}}") == []
