"""Whole deployments into an emulated account, also by processes that die on the way."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from tests.rehearsal.warm_parallelcluster import warm_parallelcluster
from trainyard.deploy.deployment import DeploymentResult, deploy, destroy, review_of, work_for
from trainyard.deploy.steps.bucket import bucket_of
from trainyard.deploy.update_review import UpdateReview
from trainyard.deploy.work import Event, Options, Work
from trainyard.edge.aws.account import Account
from trainyard.errors import TrainyardError
from trainyard.platforms.eks.rehearsal import EmulatedPrograms
from trainyard.rehearsal.rehearsal import QuickClock, inventory
from trainyard.spec.cluster import Spec
from trainyard.spec.parsing import parse

# Every kind of step has something to do, and no step has more to do than it must.
SPEC = """\
name: llm
region: us-east-2
platform: parallelcluster
network: {availability_zone: us-east-2a}
login_nodes: {count: 1, instance_type: m5.large, subnet: private}
head_node: {instance_type: m5.large}
queues:
  - name: compute-gpu
    instance_type: p5.48xlarge
    nodes: 2
    capacity: {reservations: [cr-0123456789abcdef0, cr-0123456789abcdef1]}
file_systems:
  - {mount: /fsx, lustre: {size_gib: 1200, throughput_mb_s_per_tib: 125, data_repository: s3://ml-datasets/train}}
software: {setup: gpu}
monitoring: {mode: amp-only}
timeouts: {head_node_s: 3600, compute_node_s: 2400}
"""
# Without the update that starts nodes, which takes ParallelCluster as long as all the rest.
WITHOUT_STATIC_NODES = SPEC.replace("nodes: 2", "nodes: {min: 0, max: 2}")
STEPS = (
    "bucket", "review", "reservations", "network", "storage", "monitoring", "rules", "assets", "capacity-start",
    "release", "key-pair", "cluster", "static-nodes", "cloudwatch-dashboards",
)  # fmt: skip
UNDONE = (
    "cloudwatch-dashboards", "grafana", "cluster", "cluster", "batch", "nodes", "assets", "rules", "monitoring",
    "storage", "data", "network", "reservations", "bucket",
)  # fmt: skip


def deployed(
    account: Account, text: str = SPEC, options: Options | None = None, listener: Any = None
) -> DeploymentResult:
    """Deploy a spec."""
    with equipped(work_for(_spec(text), account, listener or (lambda _: None), options)) as work:
        return deploy(work, text)


def planned(account: Account, text: str) -> tuple[UpdateReview, list[TrainyardError]]:
    """Return what deploying a spec would change, and why it would be refused."""
    with equipped(work_for(_spec(text), account)) as work:
        return review_of(work)


def destroyed(
    account: Account, text: str = SPEC, *, delete_data: bool = True, listener: Any = None
) -> DeploymentResult:
    """Destroy a cluster, by its name alone."""
    spec, options = _spec(text), Options(delete_data=delete_data, end_jobs=True)
    bucket = bucket_of(spec, account)
    with equipped(Work(account, spec.name, None, bucket, listener or (lambda _: None), options)) as work:
        return destroy(work)


@contextmanager
def equipped(work: Work) -> Iterator[Work]:
    """Give it the eksctl and the kubectl of rehearsals, a warm ParallelCluster, and a kubeconfig that is nobody's."""
    EmulatedPrograms(work.account).equip(work)
    work.parallelcluster = partial(warm_parallelcluster, work.account)
    with tempfile.TemporaryDirectory() as folder:
        work.options = replace(work.options, kubeconfig=Path(folder) / "kubeconfig")
        yield work


def _spec(text: str) -> Spec:
    return parse(text, "cluster.yaml").spec


def counts(account: Account) -> Counter[str]:
    """Return how many things of each kind there are. Their ids differ from one deployment to the next."""
    return Counter(one.split(":")[0] for one in inventory(account))


def killed(account: Account, action: str, step: str, text: str = SPEC) -> None:
    """Deploy or destroy in a process of its own, which is killed by SIGKILL when a step is done."""
    told = json.dumps(
        {
            "action": action,
            "step": step,
            "text": text,
            "region": account.region,
            "endpoint": account.endpoint,
            "credentials": dict(account.credentials),
        }
    )
    done = subprocess.run(
        [sys.executable, "-m", "tests.rehearsal.whole"],
        input=told,
        encoding="utf-8",
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=Path(__file__).parents[2],
        check=False,
    )
    assert done.returncode == -signal.SIGKILL, done.stdout


def _die_on_the_way() -> None:
    told = json.load(sys.stdin)
    account = Account(told["region"], told["endpoint"], credentials=told["credentials"], clock=QuickClock())

    def listen(event: Event) -> None:
        if event.step == told["step"] and event.kind == "done":
            os.kill(os.getpid(), signal.SIGKILL)

    (deployed if told["action"] == "deploy" else destroyed)(account, told["text"], listener=listen)


if __name__ == "__main__":
    _die_on_the_way()
