"""``trainyard bench judge``."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING, Any

import click

from trainyard.cli.output import finding_text, json_option, print_json, print_text, styled
from trainyard.foreign_text import cut_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trainyard.api.bench_judge import FileJudgement, Judgement
    from trainyard.bench.baseline import BaselineComparison
    from trainyard.errors import InputError

_LONGEST_LINE = 200
_COLOURS = {"healthy": "green", "degraded": "yellow", "broken": "red", "unknown": "cyan"}


@click.command()
@click.argument("files", metavar="FILE…", nargs=-1, required=True)
@click.option("--instance-type", metavar="TYPE", help="Where it ran, such as p5.48xlarge, if the file does not say.")
@click.option("--nodes", metavar="NUMBER", type=click.IntRange(min=1), help="On how many, if the file does not say.")
@click.option(
    "--baseline", metavar="FILE", help="An earlier run, or a folder of them, that it must not be slower than."
)
@json_option
def command(
    files: tuple[str, ...], instance_type: str | None, nodes: int | None, baseline: str | None, *, as_json: bool
) -> None:
    """Say whether the bandwidth in FILE is that of a healthy cluster.

    FILE is what nccl-tests or Neuron's nccom-test printed, of any version, with the log of NCCL around it or
    without, whatever prefix its lines carry; their JSON; a folder of such files; or - for standard input.
    Of a test that did not come to its end, the first cause that `trainyard diagnose` finds in FILE is shown.

    \b
    Exit status: 0 every run is healthy; 1 one is not, or cannot be judged; 2 a
    file has no results, whatever the others say.

    \b
    Example:
      trainyard bench judge --instance-type p5.48xlarge --nodes 2 all_reduce.out
      trainyard bench judge --instance-type p5.48xlarge today/ --baseline last-week/
      srun … all_reduce_perf -e 16G | trainyard bench judge --instance-type p5.48xlarge -
    """
    from trainyard.api.bench_judge import causes_of_deaths, judge_files, values_of

    without: list[InputError] = []
    options = {"instance_type": instance_type, "nodes": nodes, "baseline": baseline}
    judged = list(judge_files(files, **options, without=without))  # type: ignore[arg-type]  # each of its own type
    if not judged:
        raise without[0]
    causes = causes_of_deaths(judged)
    if as_json:
        print_json(
            {
                "runs": [
                    {**values_of(judged_run.file, judged_run.judgement), "cause": causes.get(judged_run.file)}
                    for judged_run in judged
                ],
                "without_results": [
                    {"file": error.where, "problem": error.problem, "hint": error.hint} for error in without
                ],
            }
        )
    else:
        for judged_run in judged:
            print_judged(judged_run, causes)
        for error in without:
            print_text(f"{error.where}: {error.problem}; {error.hint}", err=True)
    healthy = all(judged_run.judgement.verdict == "healthy" for judged_run in judged)
    sys.exit(2 if without else 0 if healthy else 1)


def print_judged(judged: FileJudgement, causes: Mapping[str, Mapping[str, Any] | None]) -> None:
    """Print a verdict with its findings, and what brought about the end of a test that died."""
    judgement = judged.judgement
    verdict = styled(judgement.verdict, fg=_COLOURS[judgement.verdict], bold=True)
    print_text(f"{judged.file}: {verdict}: {_headline(judgement)}")
    if judgement.compared is not None:
        print_text(f"  {_beside(judgement.compared)}")
    for finding in judgement.findings:
        print_text(f"  {finding_text(finding)}")
    if judged.file in causes:
        print_text(f"  {_cause_text(causes[judged.file])}; `trainyard diagnose {shlex.quote(judged.file)}` shows more")


def _cause_text(cause: Mapping[str, Any] | None) -> str:
    """Return the first cause in one line, with the line of the log that tells it."""
    if cause is None:
        return "no known cause in the file says why it ended"
    told = cause["evidence"][0]
    why = f"why it ended ({cause['confidence']}): {cause['title']} [{cause['cause']}]"
    return f"{why}, line {told['line']}: {cut_line(told['text'].strip(), _LONGEST_LINE)}"


def _beside(compared: BaselineComparison) -> str:
    """Return how it did beside the earlier run."""
    if compared.ratio is None:
        return "no size in common with the earlier run"
    share = f"{compared.ratio:.1%} of the earlier bandwidth over {compared.pairs} sizes"
    return f"{compared.verdict}: {share}, {compared.by_chance}"


def _headline(judgement: Judgement) -> str:
    """Return what was measured where, and what was expected of it."""
    case, run = judgement.case, judgement.case.run
    best = run.best
    where = f"{case.nodes or '?'} × {case.machine.name if case.machine else 'an unknown machine'}"
    if best is None:
        return f"{run.collective or 'a test'} on {where} measured nothing"
    measured = best.out_of_place or best.in_place
    reached = f"{measured.busbw_gb_s if measured else 0:,.2f} {run.bandwidth_unit} at {best.size_bytes:,} bytes"
    text = f"{run.collective or 'an unknown collective'} on {where} reached {reached}"
    if case.model is None:
        return text
    top, model = case.model.ceiling, case.expectation
    expected = "" if model is None else f"{model.at(best.size_bytes).busbw_gb_s:,.0f} expected, "
    return f"{text}; {expected}{top.busbw_gb_s:,.0f} possible: {top.why}"
