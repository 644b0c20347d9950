"""What holds for every rule, so that one can be added by adding one file and its test."""

from __future__ import annotations

import re
from pathlib import Path

import trainyard.rules
from tests.each_case import each_case
from tests.examples import example_spec
from trainyard.checking.spec_file import rule_findings
from trainyard.document.edit import with_settings
from trainyard.finding import path_text
from trainyard.rules import Rule, all_rules
from trainyard.spec.parsing import parse

RULES = all_rules()
EACH_RULE = each_case("rule", RULES, ids=lambda rule: rule.id)


def ids_found_in(part: str) -> set[str]:
    return {finding.id for finding in rule_findings(parse(example_spec(part), "cluster.yaml"))}


def test_every_file_in_the_folder_is_a_rule():
    files = {file.stem for file in Path(trainyard.rules.__file__).parent.glob("*.py")} - {"__init__"}
    assert {rule.id.replace("-", "_") for rule in RULES} == files


@EACH_RULE
def test_the_bad_example_is_found(rule: Rule):
    assert rule.id in ids_found_in(rule.bad)


@EACH_RULE
def test_the_good_example_is_clean_of_this_and_every_other_rule(rule: Rule):
    assert ids_found_in(rule.good) == set()


@EACH_RULE
def test_a_rule_says_why_what_to_do_and_who_says_so(rule: Rule):
    assert re.fullmatch(r"https://\S+", rule.source)
    assert rule.severity in ("error", "warning", "info")
    assert len(rule.rationale) > 60
    assert rule.rationale.endswith(".")
    assert not rule.remedy.endswith(".")
    assert not rule.title.endswith(".")


@EACH_RULE
def test_a_rule_has_a_test_of_its_own(rule: Rule):
    assert (Path(__file__).parent / f"test_{rule.id.replace('-', '_')}.py").is_file()


@EACH_RULE
def test_every_path_that_a_rule_yields_leads_to_something_written(rule: Rule):
    parsed = parse(example_spec(rule.bad), "cluster.yaml")
    for problem in rule.problems(parsed.spec):
        assert parsed.document.root.at(problem.path) is not parsed.document.root


@EACH_RULE
def test_a_fix_puts_the_bad_example_right(rule: Rule):
    text = example_spec(rule.bad)
    fixes = [problem.fix for problem in rule.problems(parse(text, "cluster.yaml").spec) if problem.fix is not None]
    settings = [f"{path_text(fix.path)}={str(fix.value).lower()}" for fix in dict.fromkeys(fixes)]
    if settings:
        assert list(rule.problems(parse(with_settings(text, settings), "cluster.yaml").spec)) == []


def test_some_rules_have_fixes():
    specs = [(rule, parse(example_spec(rule.bad), "cluster.yaml").spec) for rule in RULES]
    assert sum(any(problem.fix for problem in rule.problems(spec)) for rule, spec in specs) >= 5


@EACH_RULE
def test_a_finding_carries_the_user_s_own_value_or_name(rule: Rule):
    parsed = parse(example_spec(rule.bad), "cluster.yaml")
    written = set(re.findall(r"[\w./-]{2,}", rule.bad.replace(",", "")))
    for problem in rule.problems(parsed.spec):
        words = set(re.findall(r"[\w./-]{2,}", problem.message.replace(",", "")))
        assert words & written
