"""Logs of a Batch cluster: streams in moto's CloudWatch, jobs as Batch describes them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from tests.deploy.preflights.recorded import RecordedAccount
from tests.edge.aws.batch_cluster import LOG_GROUP, BatchCluster, job, node_of
from tests.operate.logs.planted import now_ms, put
from trainyard.edge.aws.account import Account

MAIN = f"nccl/default/{'0' * 31}1"
WORKER = f"nccl/default/{'0' * 31}2"
FORGOTTEN = f"torchrun/default/{'f' * 32}"


@dataclass(frozen=True, repr=False)
class WithLogs(RecordedAccount):
    """An account whose logs are another's."""

    logs: Account | None = field(default=None)

    def client(self, service: str, region: str | None = None) -> Any:
        """Return the client of one account or the other."""
        if service == "logs" and self.logs is not None:
            return self.logs.client(service, region)
        return super().client(service, region)


def with_logs(of: BatchCluster, logs: Account, **answers: Any) -> WithLogs:
    recorded = of.account(**answers)
    return WithLogs("us-east-2", answers=recorded.answers, clock=logs.clock, logs=logs)


def with_jobs(of: BatchCluster = BatchCluster()) -> BatchCluster:  # noqa: B008  it is frozen
    """Return a cluster that ran a job on two nodes, of which the main node was tried twice."""
    whole = job("FAILED")
    first = {"container": {"logStreamName": f"nccl/default/{'0' * 31}0", "exitCode": 1}}
    last = {"container": {"logStreamName": MAIN}}
    return replace(of, jobs=(whole, node_of(whole, 0, MAIN, attempts=[first, last]), node_of(whole, 1, WORKER)))


def plant_jobs(account: Account, group: str = LOG_GROUP) -> int:
    """Plant three streams whose events begin an hour ago; return that moment."""
    begin = now_ms(account) - 3_600_000
    put(account, MAIN, [(begin, "rank 0 starts"), (begin + 2000, "NCCL WARN timeout")], group=group)
    put(account, WORKER, [(begin + 1000, "rank 8 starts")], group=group)
    put(account, FORGOTTEN, [(begin + 1500, "epoch 1")], group=group)
    return begin
