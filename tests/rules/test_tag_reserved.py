import pytest

from tests.rules.found import paths

RULE = "tag-reserved"


@pytest.mark.parametrize("key", ["aws:x", "AWS:x", "parallelcluster:team", "trainyard:cluster"])
def test_tags_of_others_are_found(key: str):
    assert paths(RULE, f"tags: {{team: llm, '{key}': a}}") == [f"tags.{key}"]


def test_tags_that_only_contain_such_a_word_are_fine():
    assert paths(RULE, "tags: {awsome: a, 'my:aws:x': b}") == []
