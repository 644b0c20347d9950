"""What one rule says about part of a spec, in a form that tests compare."""

from __future__ import annotations

from tests.examples import example_spec
from trainyard.finding import path_text
from trainyard.rules import Problem, all_rules
from trainyard.spec.parsing import parse


def problems(rule_id: str, part: str) -> list[Problem]:
    """Return the problems that a rule finds in a spec of which only a part is written out."""
    rule = next(rule for rule in all_rules() if rule.id == rule_id)
    return list(rule.problems(parse(example_spec(part), "cluster.yaml").spec))


def paths(rule_id: str, part: str) -> list[str]:
    """Return the places of those problems."""
    return [path_text(problem.path) for problem in problems(rule_id, part)]
