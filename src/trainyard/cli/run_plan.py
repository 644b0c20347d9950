"""``trainyard run plan``."""

from __future__ import annotations

import click

from trainyard.cli import suggestions
from trainyard.cli.output import json_option, print_json, print_lines

_ABOVE_0 = click.FloatRange(min=0, min_open=True)


@click.command()
@click.argument("run", metavar="RUN", shell_complete=suggestions.files)
@click.option("--work-h", metavar="HOURS", type=click.FloatRange(0, 1e6, min_open=True),
              help="Hours of computing that it takes without failures. Default: time_limit_h.")  # fmt: skip
@click.option("--rate", metavar="NUMBER", type=click.FloatRange(0, 1e6, min_open=True),
              help="Interruptions in 1,000 node-days. Default: 3.8, as of Llama 3.")  # fmt: skip
@click.option("--restart-min", metavar="MINUTES", type=_ABOVE_0, default=10.0, show_default=True,
              help="From a failure to the first step after it.")  # fmt: skip
@click.option("--repair-h", metavar="HOURS", type=_ABOVE_0, default=1.0, show_default=True,
              help="Until a failed node is replaced.")  # fmt: skip
@click.option(
    "--usd-per-gpu-hour", metavar="USD", type=click.FloatRange(min=0), help="Default: list price of the instance type."
)
@json_option
def command(  # noqa: PLR0913  every option is its own
    run: str,
    *,
    work_h: float | None,
    rate: float | None,
    restart_min: float,
    repair_h: float,
    usd_per_gpu_hour: float | None,
    as_json: bool,
) -> None:
    """Say before a run what failures will make of it: wall time, effective share and USD, each with its band.

    Simulates the run with random failures, the same each time, and says what one more spare node, faster checkpoints
    or restarts, and the best interval between checkpoints would change. Asks no AWS account.

    \b
    Exit status: 0 the forecast is made; 2 RUN or the spec that it names could
    not be read, or it writes no checkpoints.

    \b
    Example:
      trainyard run plan run.yaml --work-h 720
      trainyard run plan run.yaml --work-h 720 --rate 2.9 --restart-min 5
    """
    from trainyard.api.run_plan import plan_run, plan_text

    values = plan_run(
        run, work_h=work_h, rate=rate, restart_min=restart_min, repair_h=repair_h, usd_per_gpu_hour=usd_per_gpu_hour
    )
    if as_json:
        print_json(values)
    else:
        print_lines(plan_text(values))
