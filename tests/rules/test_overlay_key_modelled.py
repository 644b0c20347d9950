from __future__ import annotations

from tests.rules.found import paths

RULE = "overlay-key-modelled"
SPEC = "parallelcluster: {{overlay: {}}}\n"


def test_the_key_is_named_where_it_stands():
    part = SPEC.format("{HeadNode: {InstanceType: m5.large, SharedStorageType: Efs}}")
    assert paths(RULE, part) == ["parallelcluster.overlay.HeadNode.InstanceType"]


def test_keys_that_the_spec_does_not_have_are_no_problem():
    assert paths(RULE, SPEC.format("{HeadNode: {SharedStorageType: Efs}}")) == []
    assert paths(RULE, "") == []
