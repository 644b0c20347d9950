from __future__ import annotations

from tests.rules.found import paths, problems
from trainyard.render.cloudformation import network, storage
from trainyard.rules import stack_places_exceeded

RULE = "stack-places-exceeded"


def lustres(count: int, settings: str = "size_gib: 1200, throughput_mb_s_per_tib: 125") -> str:
    return "file_systems:\n" + "".join(f"  - {{mount: /m{n}, lustre: {{{settings}}}}}\n" for n in range(count))


def test_two_file_systems_of_a_kind_have_places_and_a_third_has_none():
    assert paths(RULE, lustres(2)) == []
    (problem,) = problems(RULE, lustres(3))
    assert problem.path == ("file_systems", 2)
    assert problem.message == "/m2 is number 3 of kind lustre to be made, and the stack takes 2"


def test_file_systems_that_exist_need_no_place():
    assert paths(RULE, lustres(3, "id: fs-0123456789abcdef0")) == []


def test_an_eleventh_address_range_has_no_place():
    ranges = [f"203.0.113.{n}/32" for n in range(11)]
    assert paths(RULE, f"access: {{allow_from: [{', '.join(ranges[:10])}]}}") == []
    assert paths(RULE, f"access: {{allow_from: [{', '.join(ranges)}]}}") == ["access.allow_from[10]"]


def test_eks_puts_address_ranges_into_no_list_of_the_stack():
    ranges = [f"203.0.113.{n}/32" for n in range(11)]
    assert paths(RULE, f"platform: eks\naccess: {{allow_from: [{', '.join(ranges)}]}}") == []


def test_a_zone_beyond_f_has_no_place():
    part = "queues: [{name: q, instance_type: m5.large, availability_zone: us-east-1g}]"
    assert paths(RULE, part) == ["queues[0].availability_zone"]
    assert paths(RULE, f"network: {{availability_zone: us-east-1g}}\n{part}") == []


def test_the_rule_knows_as_many_places_as_the_rendering():
    assert stack_places_exceeded.MOST_RANGES == network.MOST_RANGES
    assert stack_places_exceeded.ZONES == network.ZONES
    assert stack_places_exceeded.MOST_OF_A_KIND == storage.MOST_OF_A_KIND
