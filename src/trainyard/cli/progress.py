"""How long work is shown while it goes on: one line an event, on standard error."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from trainyard.cli.output import print_text, styled

if TYPE_CHECKING:
    from collections.abc import Callable

    from trainyard.deploy.deployment import DeploymentResult
    from trainyard.deploy.work import Event
    from trainyard.errors import TrainyardError

_COLOURS = {"start": "cyan", "done": "green", "failed": "red"}
STEP_WIDTH = len("cloudwatch-dashboards")  # the longest


def watcher() -> Callable[[Event], None]:
    """Return a function that shows each event with its time and step."""

    def show(event: Event) -> None:
        at = datetime.fromtimestamp(event.at).astimezone().strftime("%H:%M:%S")
        word = "" if event.kind == "progress" else f"{event.kind}: "
        colour = _COLOURS.get(event.kind)
        text = styled(word + event.text, fg=colour) if colour else event.text
        print_text(f"{at}  {event.step:<{STEP_WIDTH}}  {text}", err=True)

    return show


def _error(error: TrainyardError) -> dict[str, str | None]:
    return {"problem": error.problem, "where": error.where, "hint": error.hint}


def result_values(done: DeploymentResult | None) -> dict[str, Any]:
    """Return what became of the steps, as values for JSON."""
    if done is None:
        return {"ok": False, "steps": [], "kept": [], "refused": []}
    steps = [
        {
            "name": result.name,
            "title": result.title,
            "action": result.action,
            "status": result.status,
            "seconds": round(result.seconds, 1),
            "detail": result.detail,
            "error": None if result.error is None else _error(result.error),
        }
        for result in done.results
    ]
    return {"ok": done.ok, "steps": steps, "kept": list(done.kept), "refused": list(done.refused)}
