"""What a run is going to cost and to be worth, before it begins."""

from __future__ import annotations

from typing import Any

from trainyard.api.run_report import price_of
from trainyard.counts import count_text
from trainyard.errors import InputError
from trainyard.training.checkpoint_interval import daly_s, failure_rates
from trainyard.training.forecast import Plan, forecast
from trainyard.training.run_file import read_run

__all__ = ["plan_run", "plan_text"]

_LEAST_INTERVAL_S = 1.0


def plan_run(  # noqa: PLR0913  every figure is its own
    file: str, *, work_h: float | None = None, rate: float | None = None, restart_min: float = 10.0,
    repair_h: float = 1.0, usd_per_gpu_hour: float | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Return the forecast of a run, and what changes of it are worth.

    Raises FindingsError where its file cannot be read, InputError where it writes no checkpoints.
    """
    read = read_run(file)
    run = read.run
    if run.checkpoints is None:
        raise InputError("without checkpoints a run begins anew after each failure", where=f"{file}: checkpoints")
    gpus, price, source = price_of(read)
    if usd_per_gpu_hour is not None:
        price, source = usd_per_gpu_hour, "as it was given"
    published = failure_rates()["llama3"]
    plan = Plan(
        nodes=run.nodes,
        spare_nodes=run.spare_nodes,
        work_s=3600 * (run.time_limit_h if work_h is None else work_h),
        interval_s=max(60 * run.checkpoints.interval_min, _LEAST_INTERVAL_S),
        write_s=run.checkpoints.write_s,
        restart_s=60 * restart_min,
        repair_s=3600 * repair_h,
        per_1000_node_days=published.per_1000_node_days if rate is None else rate,
    )
    node_usd = None if price is None or gpus is None else price * gpus
    best_s = max(daly_s(plan.write_s, plan.mtbf_s), _LEAST_INTERVAL_S)
    changes = {
        "one more spare node": plan._replace(spare_nodes=plan.spare_nodes + 1),
        "checkpoints in half the time": plan._replace(write_s=plan.write_s / 2),
        "restarts in half the time": plan._replace(restart_s=plan.restart_s / 2),
        f"a checkpoint every {best_s / 60:,.0f} min": plan._replace(interval_s=best_s),
    }
    return {
        "file": file,
        "run": run.name,
        "work_h": plan.work_s / 3600,
        "nodes": plan.nodes,
        "spare_nodes": plan.spare_nodes,
        "interruptions_per_1000_node_days": plan.per_1000_node_days,
        "rate_source": published.source if rate is None else "as it was given",
        "mtbf_h": plan.mtbf_s / 3600,
        "price_source": source,
        "expected": _worth(plan, node_usd),
        "changes": [{"change": name, **_worth(changed, node_usd)} for name, changed in changes.items()],
    }


def _worth(plan: Plan, node_usd: float | None) -> dict[str, Any]:
    found = forecast(plan)
    usd = [None if node_usd is None else wall_s / 3600 * node_usd * (plan.nodes + plan.spare_nodes)
           for wall_s in (found.wall_s, found.least_wall_s, found.most_wall_s)]  # fmt: skip
    return {
        "ends": found.ends,
        "effective_time": found.effective(plan),
        "goodput": found.goodput(plan),
        "interruptions": found.interruptions,
        "wall_h": found.wall_s / 3600,
        "wall_h_90_percent": [found.least_wall_s / 3600, found.most_wall_s / 3600],
        "usd": usd[0],
        "usd_90_percent": None if usd[0] is None else usd[1:],
    }


def plan_text(values: dict[str, Any]) -> str:
    """Return a forecast for a terminal."""
    expected = values["expected"]
    low, high = expected["wall_h_90_percent"]
    rate, source = values["interruptions_per_1000_node_days"], values["rate_source"]
    nodes = f"{count_text(values['nodes'], 'node')} with {values['spare_nodes']} spare"
    begin = (
        f"{values['run']}: {values['work_h']:,.1f} h of computing on {nodes}; "
        f"an interruption every {values['mtbf_h']:,.1f} h ({rate:g} in 1,000 node-days, {source})"
    )
    if not expected["ends"]:
        return f"{begin}\nit does not come to an end: write checkpoints more often, or restart faster"
    time = f"{expected['wall_h']:,.1f} h in all, nine times of ten {low:,.1f} to {high:,.1f} h"
    shares = f"{expected['effective_time']:.1%}; of the time of all nodes, spare ones too, {expected['goodput']:.1%}"
    lines = [
        begin,
        f"  expected: {expected['interruptions']:,.1f} interruptions, {time}",
        f"  effective training time {shares}",
    ]
    if expected["usd"] is not None:
        least, most = expected["usd_90_percent"]
        band = f"nine times of ten {least:,.0f} to {most:,.0f}"
        lines.append(f"  USD {expected['usd']:,.0f}, {band}: {values['price_source']}")
    else:
        lines.append("  no price is known: give --usd-per-gpu-hour")
    for change in values["changes"]:
        hours = expected["wall_h"] - change["wall_h"]
        usd = "" if change["usd"] is None else f", USD {change['usd'] - expected['usd']:+,.0f}"
        lines.append(f"  with {change['change']}: {-hours:+,.2f} h{usd}")
    return "\n".join(lines)
