"""The Rules of a template: what has to hold of its parameters before anything is made.

https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/rules-section-structure.html
"""

from __future__ import annotations

from trainyard.rehearsal.emulated.engine import functions
from trainyard.rehearsal.emulated.engine.refusals import InvalidError
from trainyard.rehearsal.emulated.engine.scope import Scope


def check(scope: Scope) -> None:
    """Raise InvalidError for the first assertion that does not hold, of a rule that applies."""
    for name, rule in (scope.template.get("Rules") or {}).items():
        if "RuleCondition" in rule and not functions.resolve(rule["RuleCondition"], scope):
            continue
        for assertion in rule["Assertions"]:
            if not functions.resolve(assertion["Assert"], scope):
                description = assertion.get("AssertDescription", "an assertion does not hold")
                raise InvalidError(f"Template error: rule {name} of the parameters: {description}")
