"""How ``trainyard plan`` shows the time that nodes take: as tables, and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trainyard.counts import count_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from trainyard.deploy.plan.fleet import Fleet, Ready
    from trainyard.deploy.plan.time_bounds import Bound
    from trainyard.deploy.plan.time_budget import NodeTime, StepTime, TimeBudget, Total

_CHAIN = "until the cluster is made"


def budget_lines(budget: TimeBudget) -> Iterator[str]:
    """Yield a row for each kind of nodes, and what they mean."""
    yield "Nodes until they are up, in minutes, with official images and with baked ones"
    width = max(len(_CHAIN), *(len(node.name) for node in budget.nodes))
    yield f"  {'':<{width}}   {'official':>10}   {'baked':>10}   {'saved':>10}   limit"
    for node in budget.nodes:
        times = _times(node.official, node.baked, node.saved)
        yield f"  {node.name:<{width}}   {times}   {_limit(node.official, node.bounds[0])}"
    if len(budget.critical) > 1:
        names = " and then ".join(node.name for node in budget.critical)
        limit = _limit(budget.official, budget.critical[0].bounds[0])
        yield f"  {_CHAIN:<{width}}   {_times(budget.official, budget.baked, None)}   {limit}: {names}"
    yield from _remarks(budget)


def _times(official: Total, baked: Total, saved: Total | None) -> str:
    return f"{_range(official):>10}   {_range(baked):>10}   {_range(saved) if saved else '':>10}"


def _limit(official: Total, bound: Bound) -> str:
    late = ", which may be too short" if official.most_s > bound.seconds else ""
    return f"{_minutes(bound.seconds)} ({bound.setting or 'fixed'}){late}"


def _remarks(budget: TimeBudget) -> Iterator[str]:
    unknown = dict.fromkeys(step for node in budget.nodes for step in node.official.unknown)
    if unknown:
        yield f"  Not counted, because nobody has measured them: {', '.join(unknown)}."
    deferred = dict.fromkeys(step.name for node in budget.nodes for step in node.steps if step.deferred)
    if deferred:
        yield f"  Afterwards, with Slurm running: {', '.join(_with_nodes(budget.nodes, step) for step in deferred)}."
    for bound in dict.fromkeys(node.bounds[0] for node in budget.nodes):
        later = "an update can change it" if bound.changeable else "nothing changes it later"
        yield f"  {bound.setting or 'Fixed'}, {bound.seconds:,} s: {bound.what}; {later}."
    own = [node.name for node in budget.nodes if node.own_image]
    if own:
        yield f"  The spec names an image for {', '.join(own)}; what it holds decides which column is theirs."
    official = [node for node in budget.nodes if not node.own_image]
    best = max(official, key=lambda node: node.saved.most_s, default=None)
    if best is not None and best.saved.most_s:
        saved = f"{_range(best.saved)} minutes on every node of {best.name}"
        yield f"  Recommended: baked images, which save {saved}; `trainyard image` writes what builds them."


def _with_nodes(nodes: Iterable[NodeTime], name: str) -> str:
    concerned = [node.name for node in nodes if any(step.name == name for step in node.steps)]
    return f"{name} ({', '.join(concerned)})"


def fleet_lines(fleet: Fleet) -> Iterator[str]:
    """Yield when simulated nodes are ready."""
    assumed = fleet.assumptions
    yield f"{count_text(fleet.nodes, 'node')} at once, simulated: minutes until they are up"
    width = max(len(queue.queue) for queue in fleet.queues)
    columns = ("nodes", "first", "median", "99 %", "last", "not in time")
    yield f"  {'':<{width}}   {'':<8}" + "".join(f"   {column:>11}" for column in columns)
    for queue in fleet.queues:
        for image, ready in (("official", queue.official), ("baked", queue.baked)):
            cells = (f"{queue.nodes:,}", *_ready_times(ready), f"{ready.not_in_time:,}")
            yield f"  {queue.queue:<{width}}   {image:<8}" + "".join(f"   {cell:>11}" for cell in cells)
    shared = "no limit is known" if assumed.shared_gbit_s is None else f"{assumed.shared_gbit_s:g} Gbit/s"
    yield (
        f"  Assumed: asked for within {assumed.spread_s:g} s; {assumed.node_gbit_s:g} Gbit/s a node and, for all "
        f"together, {shared}; {assumed.step_mb:g} MB for a step whose assets no lock names; seed {assumed.seed}."
    )


def _ready_times(ready: Ready) -> tuple[str, ...]:
    return ("-",) * 4 if ready.times is None else tuple(f"{seconds / 60:.1f}" for seconds in ready.times)


def _range(total: Total) -> str:
    least, most = total.least_s // 60, -(-total.most_s // 60)
    return f"{least}" if least == most else f"{least} to {most}"


def _minutes(seconds: int) -> str:
    return f"{seconds / 60:g}" if seconds % 60 == 0 else f"{seconds / 60:.1f}"


def budget_values(budget: TimeBudget) -> dict[str, Any]:
    """Return the same for programs, in seconds."""
    return {
        "nodes": [
            {
                "node": node.name,
                "role": node.role,
                "own_image": node.own_image,
                "official": _total_values(node.official),
                "baked": _total_values(node.baked),
                "saved": _total_values(node.saved),
                "deferred": _total_values(node.deferred),
                "bounds": [bound._asdict() for bound in node.bounds],
                "steps": [_step_values(step) for step in node.steps],
            }
            for node in budget.nodes
        ],
        "critical_path": {
            "nodes": [node.name for node in budget.critical],
            "official": _total_values(budget.official),
            "baked": _total_values(budget.baked),
        },
    }


def _total_values(total: Total) -> dict[str, Any]:
    return {"least_s": total.least_s, "most_s": total.most_s, "not_counted": list(total.unknown)}


def _step_values(step: StepTime) -> dict[str, Any]:
    return {
        "step": step.name,
        "official_s": None if step.official is None else list(step.official),
        "baked_s": None if step.baked is None else list(step.baked),
        "deferred": step.deferred,
        "source": None if step.source is None else step.source.url,
    }


def fleet_values(fleet: Fleet) -> dict[str, Any]:
    """Return what was simulated, in seconds."""
    return {
        "nodes": fleet.nodes,
        "assumptions": fleet.assumptions._asdict(),
        "not_counted": list(fleet.not_counted),
        "queues": [
            {
                "queue": queue.queue,
                "nodes": queue.nodes,
                "timeout_s": queue.timeout_s,
                "official": _ready_values(queue.official),
                "baked": _ready_values(queue.baked),
            }
            for queue in fleet.queues
        ],
    }


def _ready_values(ready: Ready) -> dict[str, Any]:
    times = dict.fromkeys(("first_s", "median_s", "p99_s", "last_s")) if ready.times is None else ready.times._asdict()
    rounded = {name: None if seconds is None else round(seconds, 1) for name, seconds in times.items()}
    return {**rounded, "not_in_time": ready.not_in_time}
