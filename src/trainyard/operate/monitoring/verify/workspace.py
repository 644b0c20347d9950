"""Whether the workspace of Amazon Managed Prometheus works, with its rules and Alertmanager, and discards nothing."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.edge.aws import amazon_prometheus as amp
from trainyard.edge.aws.account import Account
from trainyard.finding import Finding
from trainyard.operate.monitoring.verify.finding_kinds import finding
from trainyard.operate.monitoring.verify.subject import Situation

_GOOD = "ACTIVE"
_DISCARDED_WITHIN_S = 1800
# https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-CW-usage-metrics.html
_LIMITS = {
    "per_user_series_limit": "the quota of active series",
    "per_metric_series_limit": "the quota of active series of one metric",
    "per_labelset_series_limit": "the limit of a label set",
    "rate_limited": "the quota of samples a second",
}


def workspace(situation: Situation) -> Iterator[Finding]:
    """Yield what AWS says against the workspace, in the modes that have one."""
    account = situation.account
    id_ = None if account is None else account.outputs.get("AMPWorkspaceId")
    if account is None or id_ is None:
        return
    state = amp.workspace_state(account.account, id_)
    if state.code != _GOOD:
        yield finding("workspace-not-active", f"workspace {id_} is {state}")
        return
    situation.looked_at["workspaces"] += 1
    yield from _rule_groups(account.account, id_)
    yield from _alertmanager(account.account, id_)
    yield from _discarded(account.account, id_)


def _rule_groups(account: Account, id_: str) -> Iterator[Finding]:
    namespaces = amp.rule_namespaces(account, id_)
    if not namespaces:
        yield finding("rules-not-loaded", f"workspace {id_} has no rules")
    for name, state in namespaces.items():
        if state.code != _GOOD:
            yield finding("rules-not-loaded", f"rules {name} of workspace {id_} are {state}")


def _alertmanager(account: Account, id_: str) -> Iterator[Finding]:
    state = amp.alertmanager_state(account, id_)
    if state is None:
        yield finding("alertmanager-not-active", f"workspace {id_} has no Alertmanager")
    elif state.code != _GOOD:
        yield finding("alertmanager-not-active", f"the Alertmanager of workspace {id_} is {state}")


def _discarded(account: Account, id_: str) -> Iterator[Finding]:
    for reason, count in sorted(amp.discarded_samples(account, id_, _DISCARDED_WITHIN_S).items()):
        limit = _LIMITS.get(reason)
        why = f"{limit} is reached" if limit else f"their reason is {reason}"
        minutes = _DISCARDED_WITHIN_S // 60
        message = f"workspace {id_} has discarded {count:,.0f} samples within {minutes} minutes: {why}"
        yield finding("samples-discarded", message)
