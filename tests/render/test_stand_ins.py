"""Ids that only a deployment knows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

import trainyard.render
from tests.specs import spec_of
from trainyard.errors import InputError
from trainyard.render.rendering import render
from trainyard.render.stand_ins import Ids, in_words
from trainyard.rules.stand_in_left import RULE

FACTS = yaml.safe_load((Path(trainyard.render.__file__).parent / "stand_ins.yaml").read_text())


@pytest.mark.parametrize("kind", FACTS)
def test_a_stand_in_is_recognised_by_the_rule_that_looks_for_them(kind: str):
    value = Ids({}).of(kind)
    part = f"tags: {{id: '{value}'}}"
    assert [problem.path for problem in RULE.check(spec_of(part))] == [("tags", "id")]


@pytest.mark.parametrize("kind", FACTS)
def test_each_of_a_kind_has_an_output_and_a_value_of_its_own(kind: str):
    ids = Ids({})
    values = {ids.of(kind, number=number) for number in range(1, 30)}
    assert len(values) == 29
    assert {one.output for one in ids.stand_ins.values()} == {kind} | {f"{kind}{number}" for number in range(2, 30)}


def test_no_two_kinds_share_a_value():
    # A network has one subnet of each of these two; zones are lettered from a to z.
    most = {"PublicSubnet": 1, "PrimaryPrivateSubnet": 1}
    values = [Ids({}).of(kind, number=number) for kind in FACTS for number in range(1, most.get(kind, 26) + 1)]
    assert len(values) == len(set(values))


def test_a_known_output_leaves_no_stand_in():
    ids = Ids({"PublicSubnet": "subnet-0a1b2c3d4e5f60718"})
    assert ids.of("PublicSubnet") == "subnet-0a1b2c3d4e5f60718"
    assert ids.in_order() == ()
    assert ids.used == {"PublicSubnet"}


@pytest.mark.parametrize("value", ["vpc-0a1b2c3d", "", "subnet-", "subnet-1\nRegion: x", "subnet-1 2", "$(reboot)"])
def test_an_output_that_is_no_such_id_is_refused(value: str):
    with pytest.raises(InputError, match=re.escape("is not the id of a public subnet")) as refusal:
        Ids({"PublicSubnet": value}).of("PublicSubnet")
    assert refusal.value.where == "PublicSubnet"


def test_stand_ins_come_in_the_order_in_which_their_stacks_are_made():
    part = """\
head_node: {subnet: public}
monitoring: {mode: amp-only}
file_systems: [{mount: /fsx, lustre: {size_gib: 1200, throughput_mb_s_per_tib: 250}}]
"""
    stacks = [stand_in.stack for stand_in in render(spec_of(part), {}).stand_ins]
    assert list(dict.fromkeys(stacks)) == ["network", "storage", "monitoring", "assets"]
    assert stacks == sorted(stacks, key=["network", "storage", "monitoring", "assets"].index)


@pytest.mark.parametrize("kind", FACTS)
def test_where_people_read_it_words_stand_for_a_stand_in(kind: str):
    words = f"({FACTS[kind]['what']}, which stack {FACTS[kind]['stack']} will make)"
    # Of subnets with a number of their own there is one.
    for number in (1,) if kind in ("PublicSubnet", "PrimaryPrivateSubnet") else (1, 2, 7):
        value = Ids({}).of(kind, number=number)
        assert in_words({"Policy": value, "all": [f"a {value} b", 1]}) == {"Policy": words, "all": [f"a {words} b", 1]}


@pytest.mark.parametrize(
    "value",
    [
        "vpc-0123456789abcdef0",
        "arn:aws:iam::123456789012:policy/b",
        "mount-name",
        "sg-000000000000000010",
        None,
        17,
        "",
    ],
)
def test_what_is_no_stand_in_stays(value: object):
    assert in_words(value) == value
