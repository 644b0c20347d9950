"""The instance of a self-hosted Prometheus and Grafana: it follows the releases by itself, and this waits until it has.

It looks at the pointer every five minutes: bootstrap/monitoring/follow-releases.sh. A cluster works without it, so an
instance that does not get there is a finding and no failure.
"""

from __future__ import annotations

from typing import NamedTuple

from trainyard.bundle.release import Release
from trainyard.deploy.node_record_place import read_object, record_key
from trainyard.deploy.release_notice import kinds
from trainyard.deploy.running_nodes import failure_of
from trainyard.deploy.step import Probe, StepOutcome
from trainyard.deploy.steps.release import final_release, release_so_far
from trainyard.deploy.work import Work
from trainyard.edge.aws.load_balancers import target_healths
from trainyard.errors import TrainyardError
from trainyard.finding import Finding
from trainyard.finding_kinds import finding_of
from trainyard.foreign_text import word_or_quoted

_POLL_S = 10.0
# Three looks of the instance: its first may come before the release, and what fails may succeed the next time.
_POLLS = 90


class _InstanceProgress(NamedTuple):
    """How far the instance is."""

    ready: bool
    why: str
    """What is missing, or what it has done."""


class MonitoringInstance:
    """Waits until it runs the release and, behind a load balancer, until Grafana answers. Changes nothing."""

    name = "monitoring-instance"
    title = "Prometheus and Grafana on their instance"

    def probe(self, work: Work) -> Probe:
        """Say whether it has come as far."""
        progress = _look(work, _digest(release_so_far(work)))
        return Probe("there" if progress.ready else "missing", progress.why)

    def apply(self, work: Work) -> StepOutcome:
        """Wait, but not for long."""
        release = _digest(final_release(work))
        progress = _look(work, release)
        if progress.ready:
            return StepOutcome(changed=False, detail=progress.why)
        work.tell("waiting for the instance, which looks for releases every five minutes")
        for _ in range(_POLLS):
            work.account.clock.sleep(_POLL_S)
            progress = _look(work, release)
            if progress.ready:
                return StepOutcome(changed=True, detail=progress.why)
        work.findings.append(_not_ready(work, progress.why))
        return StepOutcome(changed=False, detail=f"not ready: {progress.why}")

    def undo(self, work: Work) -> StepOutcome:
        """Do nothing: the instance goes with its stack."""
        del work
        return StepOutcome(changed=False)


def _digest(release: Release | None) -> str | None:
    return None if release is None else release.sha256


def _look(work: Work, release: str | None) -> _InstanceProgress:
    progress = _look_at_record(work, release)
    group = work.outputs.get("GrafanaTargetGroupArn")
    return _look_at_target(work, group) if progress.ready and group else progress


def _look_at_record(work: Work, expected: str | None) -> _InstanceProgress:
    """Return what the instance wrote about itself, which is input from strangers."""
    instance = work.outputs.get("MonitoringInstanceId", "the instance")
    stored = read_object(work.account, work.bucket, _record_key(work), instance)
    if stored is None:
        return _InstanceProgress(ready=False, why=f"{instance} has not reported yet")
    if stored.record is None:
        return _InstanceProgress(ready=False, why=f"what {instance} reported cannot be read: {stored.problem}")
    if stored.record.release != expected:
        return _InstanceProgress(ready=False, why=f"{instance} still runs another release")
    failure = failure_of(stored.record)
    if failure is not None:
        return _InstanceProgress(ready=False, why=f"{instance}: {failure}")
    return _InstanceProgress(ready=True, why=f"{instance} runs the release")


def _look_at_target(work: Work, group: str) -> _InstanceProgress:
    try:
        healths = target_healths(work.account, group)
    except TrainyardError as error:
        return _InstanceProgress(
            ready=False, why=f"nobody knows whether Grafana answers the load balancer: {error.problem}"
        )
    if any(health.state == "healthy" for health in healths):
        return _InstanceProgress(ready=True, why="Grafana answers the load balancer")
    told = (f"{health.state} {word_or_quoted(health.reason)}" if health.reason else health.state for health in healths)
    states = ", ".join(told) or "it has no target"
    return _InstanceProgress(ready=False, why=f"Grafana does not answer the load balancer: {states}")


def _not_ready(work: Work, why: str) -> Finding:
    """Return the finding, with how to look: Session Manager needs no open port."""
    instance = work.outputs.get("MonitoringInstanceId", "INSTANCE")
    command = f"aws ssm start-session --region {work.account.region} --target {instance}"
    remedy = (
        f"wait and deploy again, or look at it: {command}, then journalctl --unit=trainyard-follow-releases and "
        "/var/log/trainyard/; the ends of the logs of steps that failed lie beside its record"
    )
    where = f"s3://{work.bucket}/{_record_key(work)}"
    return finding_of(kinds(), "monitoring-instance-not-ready", why, remedy, file=where)


def _record_key(work: Work) -> str:
    return record_key(work.account, work.name, work.outputs.get("MonitoringInstanceId", "unknown"))
