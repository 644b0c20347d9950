"""What came of a rehearsal, in the sentences that both the page and the terminal say first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trainyard.counts import count_text
from trainyard.rehearsal.report.numbers import seconds


def headline(result: Mapping[str, Any]) -> str:
    """Return one line: did it succeed, how long did it take, and was something to go wrong."""
    came = "succeeded" if result["ok"] else "failed"
    broken = f", with {result['breakdown']} broken on purpose" if result.get("breakdown") else ""
    return f"The rehearsal of {result['name']} {came} in {seconds(result['seconds'])}{broken}"


def reason(result: Mapping[str, Any]) -> str:
    """Return why: what was done, or the first thing that went wrong."""
    failed = next((step for step in result.get("steps") or () if step["status"] == "failed"), None)
    if failed is not None:
        return f"Step {failed['name']} failed: {problem(failed.get('error')) or 'without a word'}"
    errors = sum(finding["severity"] == "error" for finding in result.get("findings") or ())
    if errors and not result["ok"]:
        return f"{count_text(errors, 'finding')} of severity error stopped it."
    if not result["ok"]:
        return f"It left something behind. {inventory(result)}"
    return f"{result['name']} was deployed into an emulated account and destroyed again. {inventory(result)}"


def inventory(result: Mapping[str, Any]) -> str:
    """Return what the account holds afterwards that it did not hold before."""
    things = result.get("inventory") or {}
    left = things.get("left") or ()
    counts = f"The account held {things.get('before', 0):,} things before and {things.get('after', 0):,} after"
    return (
        f"{counts}; {count_text(len(left), 'thing is', 'things are')} left." if left else f"{counts}; nothing is left."
    )


def problem(error: Any) -> str:
    """Return an error in words, whether it was given as text or in its parts."""
    if not isinstance(error, dict):
        return str(error or "")
    parts = (error.get("problem"), error.get("where") and f"at {error['where']}", error.get("hint"))
    return "; ".join(str(part) for part in parts if part)


def resource_count(result: Mapping[str, Any]) -> int:
    """Return how many resources all stacks have."""
    return sum(len(stack.get("resources") or ()) for stack in result.get("stacks") or ())


def call_count(result: Mapping[str, Any]) -> int:
    """Return how many calls were made."""
    return sum((result.get("calls") or {}).values())
