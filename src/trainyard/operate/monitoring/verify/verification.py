"""Makes every check that can be made, once or until all is good."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from trainyard.edge.aws.account import Clock
from trainyard.errors import TrainyardError
from trainyard.finding import SEVERITIES, Finding
from trainyard.monitoring.prometheus_config import SCRAPE_INTERVAL_S
from trainyard.operate.monitoring.verify.checks import CHECKS, MonitoringCheck
from trainyard.operate.monitoring.verify.finding_kinds import finding
from trainyard.operate.monitoring.verify.subject import Situation
from trainyard.operate.nodes.durations import duration

# As often as exporters are scraped and discovery looks; each look is some dozens of questions.
_PAUSE_S = 30.0
# A query finds no sample that is older than five minutes, so that it need not say so.
# https://prometheus.io/docs/prometheus/latest/querying/basics/#staleness
_LOOKED_BACK = "1d"
_WATCHED_MINUTES = 30
_ENOUGH = 0.9


@dataclass(frozen=True, slots=True)
class Verification:
    """The findings about the monitoring of a cluster, and what was looked at."""

    name: str
    region: str
    mode: str
    keeper: str
    """The address of whoever keeps the metrics."""
    findings: tuple[Finding, ...]
    looked_at: Mapping[str, int]
    """How many of what, such as targets, metrics and panels."""

    @property
    def good(self) -> bool:
        """Return whether nothing of severity error was found."""
        return not any(finding.severity == "error" for finding in self.findings)


def verify(situation: Situation, tell: Callable[[str], None]) -> Verification:
    """Return what is wrong, the worst first. ``tell`` hears what is being looked at."""
    findings: list[Finding] = []
    can = {"account"} if situation.account is not None else set()
    can |= _answers(situation, findings, tell)
    for check in CHECKS:
        if check.needs in can:
            tell(check.title)
            findings += _checked(situation, check)
    spec = situation.spec
    worst_first = tuple(sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity)))
    looked_at = {what: count for what, count in situation.looked_at.items() if count}
    return Verification(spec.name, spec.region, spec.monitoring.mode, situation.keeper.url, worst_first, looked_at)


def verify_until_good(
    situation: Callable[[], Situation], clock: Clock, wait_s: float, tell: Callable[[str], None]
) -> Verification:
    """Verify anew, every half minute, until all is good or the time is over; then return how it was last."""
    ends = clock.now() + wait_s
    while True:
        verified = verify(situation(), tell)
        left = ends - clock.now()
        if verified.good or left <= 0:
            return verified
        tell(f"{verified.findings[0].message}; trying again for {left / 60:.0f} min")
        clock.sleep(min(_PAUSE_S, left))


def _answers(situation: Situation, findings: list[Finding], tell: Callable[[str], None]) -> set[str]:
    """Return whether the keeper answers, and whether samples arrive at it; add what keeps it from that."""
    tell(f"samples at {situation.keeper.url}")
    try:
        situation.keeper.expect_ready()
        gaps = list(arrival(situation))
    except TrainyardError as error:
        findings.append(finding("keeper-unreachable", error.problem, error.hint))
        return set()
    findings += gaps
    return {"keeper"} if any(gap.id == "no-recent-samples" for gap in gaps) else {"keeper", "samples"}


def _checked(situation: Situation, check: MonitoringCheck) -> Iterator[Finding]:
    """Yield what a check finds. One that may not ask, or gets no answer, does not keep the others from theirs."""
    try:
        yield from check.find(situation)
    except TrainyardError as error:
        yield finding("not-verified", f"{check.title}: {error.problem}", error.hint)


def arrival(situation: Situation) -> Iterator[Finding]:
    """Yield that nothing has arrived for five minutes, or what is missing of the last half hour."""
    newest = situation.values(f"max(timestamp({_server_series(situation)}))")
    if not newest:
        yield _no_samples(situation)
        return
    situation.looked_at["minutes of samples"] += _WATCHED_MINUTES
    yield from _gaps(situation)


def _no_samples(situation: Situation) -> Finding:
    last = situation.values(f"max(max_over_time(timestamp({_server_series(situation)})[{_LOOKED_BACK}:5m]))")
    name = situation.spec.name
    if not last:
        message = f"no sample of {name} has arrived at {situation.keeper.url} within a day"
    else:
        message = f"the last sample of {name} arrived {duration(situation.now - last[0].value)} ago"
    return finding("no-recent-samples", message)


def _server_series(situation: Situation) -> str:
    """Return the series that is there as long as the head node's Prometheus is; an instance scrapes itself as well."""
    return f'up{{job="prometheus", {situation.cluster}}}'


def _gaps(situation: Situation) -> Iterator[Finding]:
    """Yield where Prometheus has run for half an hour and less of it has arrived. One that has just started is left."""
    own = _server_series(situation)
    minutes = f"{_WATCHED_MINUTES}m"
    samples = situation.values(f"max(count_over_time({own}[{minutes}])) and max({own} offset {minutes})")
    expected = _WATCHED_MINUTES * 60 // SCRAPE_INTERVAL_S
    if samples and samples[0].value < expected * _ENOUGH:
        count = f"{samples[0].value:.0f} of {expected}"
        message = f"of the last {_WATCHED_MINUTES} minutes, {count} samples of a series arrived"
        yield finding("samples-missing", message)
