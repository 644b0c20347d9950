"""Login nodes that an update needs stopped: an update of its own empties their pools, and the next one fills them.

https://docs.aws.amazon.com/parallelcluster/latest/ug/login-nodes-v3.html
"""

from __future__ import annotations

from trainyard.deploy.work import Work
from trainyard.document.write import yaml_text
from trainyard.edge.aws.parallelcluster import config_of, deployed_config
from trainyard.edge.pcluster_command import Pcluster
from trainyard.errors import TrainyardError
from trainyard.platforms.parallelcluster.deployment.classification import without_login_nodes

_POLL_S = 15.0
# An instance has its grace period before it ends, ten minutes where nobody says otherwise, and then half an hour.
# https://docs.aws.amazon.com/parallelcluster/latest/ug/LoginNodes-v3.html#yaml-LoginNodes-Pools-GracetimePeriod
_DEFAULT_GRACE_MINUTES = 10
_END_MINUTES = 30


def deployed_text(work: Work) -> str:
    """Return the configuration that the cluster has now. Raises TrainyardError where nobody can read it."""
    text = deployed_config(work.account, work.name)
    if text is None:
        raise TrainyardError(
            f"the configuration that cluster {work.name} has now is not in ParallelCluster's bucket",
            where=work.name,
            hint="login nodes are stopped by an update of that configuration: set their count to 0, deploy, and then "
            "deploy this spec",
        )
    return text


def text_without_login_nodes(text: str) -> str:
    """Return a configuration whose pools of login nodes are empty."""
    return yaml_text(without_login_nodes(config_of(text, "cluster-config.yaml")))


def await_end(work: Work, parallelcluster: Pcluster, former: str) -> None:
    """Wait until ParallelCluster counts no login node of a former configuration any more.

    Raises TrainyardError where some do not end.
    """
    pools = config_of(former, "cluster-config.yaml").get("LoginNodes", {}).get("Pools", [])
    grace = max((pool.get("GracetimePeriod", _DEFAULT_GRACE_MINUTES) for pool in pools), default=0)
    told = 0
    for _ in range(int((grace + _END_MINUTES) * 60 / _POLL_S)):
        running = _running(parallelcluster, work.name)
        if not running:
            return
        if running != told:
            work.tell(f"waits for {running} login nodes to end")
            told = running
        work.account.clock.sleep(_POLL_S)
    raise TrainyardError(
        f"{told} login nodes of {work.name} have not ended",
        where=work.name,
        hint="see their Auto Scaling group; then run the command again: it goes on from here",
    )


def _running(parallelcluster: Pcluster, name: str) -> int:
    described = parallelcluster.describe(name) or {}
    pools = described.get("loginNodes") or []
    return sum(int(pool.get("healthyNodes") or 0) + int(pool.get("unhealthyNodes") or 0) for pool in pools)
