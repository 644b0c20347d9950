"""Whether the metrics of a cluster arrive."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainyard.checking.spec_file import check_file
from trainyard.deploy.steps.bucket import bucket_of_cluster
from trainyard.edge.aws import s3
from trainyard.edge.aws.account import Clock
from trainyard.errors import SpecError
from trainyard.operate.monitoring.verify.deployed_cluster import deployed_situation, expect_measuring, plain_keeper
from trainyard.operate.monitoring.verify.subject import Situation
from trainyard.operate.monitoring.verify.verification import Verification, verify_until_good

if TYPE_CHECKING:
    from collections.abc import Callable

    from trainyard.edge.aws.account import Account

__all__ = ["Verification", "verify_monitoring", "verify_spec"]


def verify_monitoring(  # noqa: PLR0913  one for each option
    name: str,
    where: Account,
    *,
    bucket: str | None = None,
    prometheus: str | None = None,
    grafana: bool = False,
    wait_s: float = 0,
    tell: Callable[[str], None] = lambda _: None,
) -> Verification:
    """Return what is wrong with the metrics of a deployed cluster. ``prometheus`` is where a forwarded port leads to.

    ``grafana`` looks at the dashboards in Amazon Managed Grafana too, with a token that is made and deleted for it.

    Raises TrainyardError where there is no such cluster, or it measures nothing, and InputError where its metrics lie
    on an instance and no address is given.
    """
    place = bucket or bucket_of_cluster(where, name) or s3.own_bucket(where)

    def situation() -> Situation:
        return deployed_situation(name, where, place, prometheus, opens_grafana=grafana)

    return verify_until_good(situation, where.clock, wait_s, tell)


def verify_spec(
    file: str, prometheus: str, *, wait_s: float = 0, tell: Callable[[str], None] = lambda _: None
) -> Verification:
    """Return what is wrong with the metrics that a Prometheus has, by a spec alone. Asks no account.

    Raises SpecError where the file is no spec, InputError where the address is none.
    """
    checked = check_file(file)
    if checked.parsed is None:
        raise SpecError(checked.findings)
    spec = checked.parsed.spec
    expect_measuring(spec)
    return verify_until_good(lambda: Situation(spec, plain_keeper(prometheus)), Clock(), wait_s, tell)
