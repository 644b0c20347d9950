"""``trainyard rehearse`` where the emulated account stays up: start, use, list and end kept rehearsals."""

from __future__ import annotations

import shlex
import time
from typing import TYPE_CHECKING, Any

from trainyard.cli.output import print_json, print_text
from trainyard.cli.progress import watcher
from trainyard.errors import InputError, TrainyardError

if TYPE_CHECKING:
    from trainyard.api.rehearse import KeptRehearsal

# They would lead elsewhere, or belong to other credentials.
_IN_THE_WAY = ("AWS_DEFAULT_PROFILE", "AWS_SESSION_TOKEN", "AWS_SECURITY_TOKEN")


def keep(spec: str, name: str | None, *, environment: str | None, breakdown: str | None, as_json: bool) -> int:
    """Deploy a spec into an account that stays, print what leads there, and return the exit status."""
    from trainyard.api.rehearse import keep_file
    from trainyard.cli.rehearse import print_refused

    checked, kept, result = keep_file(spec, watcher(), name=name, environment=environment, breakdown=breakdown)
    if kept is None or result is None:
        print_refused(checked.findings, as_json=as_json)
        if result is not None and not as_json:
            for finding in result["findings"]:
                print_text(f"{finding['severity']}: {finding['message']} [{finding['id']}]", err=True)
        return 1
    if as_json:
        print_json({**_values(kept), "ok": result["ok"], "steps": result["steps"], "findings": result["findings"]})
    else:
        _print_variables(kept)
        print_text("deployed" if result["ok"] else "the deployment failed, and is there to be looked at", err=True)
        _print_next(kept, spec)
    return 0 if result["ok"] else 1


def use_kept(name: str, breakdown: str | None, *, as_json: bool) -> None:
    """Print what leads to a kept rehearsal, or let something break down there. ``nothing`` mends it."""
    from trainyard.api.rehearse import break_kept, kept_rehearsal, what_can_break_down

    kept = kept_rehearsal(name)
    if breakdown is not None:
        break_kept(kept, None if breakdown == "nothing" else breakdown)
    if as_json:
        print_json({**_values(kept), **({} if breakdown is None else {"breakdown": breakdown})})
    elif breakdown is None:
        _print_variables(kept)
    else:
        what = "nothing fails any more" if breakdown == "nothing" else what_can_break_down()[breakdown]
        print_text(f"in {kept.name}, from now on: {what}")
        verb = "status" if breakdown == "nothing" else "diagnose"
        print_text(f"next: trainyard {verb} {kept.cluster} --region {kept.region}", err=True)


def print_list(*, as_json: bool) -> None:
    """Print the rehearsals that are kept, the oldest first."""
    from trainyard.api.rehearse import kept_rehearsals
    from trainyard.operate.nodes.durations import duration

    all_kept = kept_rehearsals()
    if as_json:
        print_json({"rehearsals": [_values(kept) for kept in all_kept]})
        return
    for kept in all_kept:
        age = duration(time.time() - kept.started)
        what = "" if kept.cluster == kept.name else f"{kept.cluster}, "
        place = f"{what}{kept.platform} in {kept.region}, at {kept.endpoint}, process {kept.record.process}"
        print_text(f"{kept.name}  kept for {age}  {place}")
    if not all_kept:
        print_text("no rehearsal is kept")


def stop_kept(name: str | None, *, every: bool, as_json: bool) -> None:
    """End one rehearsal, or every one. Without a name the only one is meant."""
    from trainyard.api.rehearse import kept_rehearsal, kept_rehearsals, stop

    if every and name is not None:
        raise InputError(f"{name} and --all contradict each other", where="--all", hint="leave one of them out")
    chosen = kept_rehearsals() if every or name is None else [kept_rehearsal(name)]
    if not every and len(chosen) != 1:
        names = ", ".join(kept.name for kept in chosen)
        if not chosen:
            raise TrainyardError("no rehearsal is kept", where="--stop", hint="there is nothing to end")
        raise InputError(f"several are kept: {names}", where="--stop", hint="name one, or add --all")
    for kept in chosen:
        stop(kept)
        if not as_json:
            print_text(f"{kept.name} has ended; nothing is left of it")
    if as_json:
        print_json({"stopped": [kept.name for kept in chosen]})
    elif not chosen:
        print_text("no rehearsal is kept")


def _print_variables(kept: KeptRehearsal) -> None:
    print_text(f"unset {' '.join(_IN_THE_WAY)}")
    for name, value in kept.variables().items():
        print_text(f"export {name}={shlex.quote(value)}")


def _print_next(kept: KeptRehearsal, spec: str) -> None:
    print_text(f"{kept.name} is kept: {kept.endpoint} answers in place of AWS until it is stopped", err=True)
    print_text(f'next: eval "$(trainyard rehearse {kept.name})"', err=True)
    print_text(f"next: trainyard status {shlex.quote(spec)}", err=True)
    print_text(f"next: trainyard rehearse {kept.name} --stop", err=True)


def _values(kept: KeptRehearsal) -> dict[str, Any]:
    return {
        "name": kept.name,
        "cluster": kept.cluster,
        "platform": kept.platform,
        "region": kept.region,
        "endpoint": kept.endpoint,
        "process": kept.record.process,
        "seconds": round(time.time() - kept.started, 1),
        "variables": kept.variables(),
    }
