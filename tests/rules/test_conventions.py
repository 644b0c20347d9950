"""What holds for every rule, so that one can be added by adding one file and its test."""

from __future__ import annotations

import re
from pathlib import Path

import trainyard.rules
from tests.each_case import each_case
from tests.examples import example_spec
from trainyard.checking.spec_file import rule_findings
from trainyard.rules import Rule, all_rules
from trainyard.spec.parsing import parse

RULES = all_rules()
EACH_RULE = each_case("named", RULES, ids=lambda named: named.id)


def ids_found_in(part: str) -> set[str]:
    return {finding.id for finding in rule_findings(parse(example_spec(part), "cluster.yaml"))}


def test_every_file_in_the_folder_is_a_rule():
    files = {file.stem for file in Path(trainyard.rules.__file__).parent.glob("*.py")} - {"__init__"}
    assert {named.id.replace("-", "_") for named in RULES} == files


@EACH_RULE
def test_the_bad_example_is_found(named: Rule):
    assert named.id in ids_found_in(named.bad)


@EACH_RULE
def test_the_good_example_is_clean_of_this_and_every_other_rule(named: Rule):
    assert ids_found_in(named.good) == set()


@EACH_RULE
def test_a_rule_says_why_what_to_do_and_who_says_so(named: Rule):
    rule = named
    assert re.fullmatch(r"https://\S+", rule.source)
    assert rule.severity in ("error", "warning", "info")
    assert len(rule.rationale) > 60
    assert rule.rationale.endswith(".")
    assert not rule.remedy.endswith(".")
    assert not rule.title.endswith(".")


@EACH_RULE
def test_a_rule_has_a_test_of_its_own(named: Rule):
    assert (Path(__file__).parent / f"test_{named.id.replace('-', '_')}.py").is_file()


@EACH_RULE
def test_every_path_that_a_rule_yields_leads_to_something_written(named: Rule):
    parsed = parse(example_spec(named.bad), "cluster.yaml")
    for problem in named.problems(parsed.spec):
        assert parsed.document.root.at(problem.path) is not parsed.document.root


@EACH_RULE
def test_a_finding_carries_the_user_s_own_value_or_name(named: Rule):
    parsed = parse(example_spec(named.bad), "cluster.yaml")
    written = set(re.findall(r"[\w./-]{2,}", named.bad.replace(",", "")))
    for problem in named.problems(parsed.spec):
        words = set(re.findall(r"[\w./-]{2,}", problem.message.replace(",", "")))
        assert words & written
