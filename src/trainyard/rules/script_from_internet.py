"""Scripts that nodes fetch from the internet and run as root."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainyard.finding import Path
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec
from trainyard.spec.custom_actions import CustomActions

_MOMENTS = ("on_start", "before_setup", "after_setup", "on_update")
# S3 over https, which the VPC endpoint of S3 reaches: https://docs.aws.amazon.com/AmazonS3/latest/userguide/VirtualHosting.html
_S3_HOST = re.compile(r"https://([^/]+\.)?s3[.-][^/]*amazonaws\.com(\.cn)?/")


def check(spec: Spec) -> Iterator[Problem]:
    """Yield scripts behind https://, as an error where their nodes reach no internet."""
    for path, subnet, actions in _actions(spec):
        for place, url in scripts_of(actions):
            if url.startswith("https://"):
                yield _problem(spec, (*path, "custom_actions", *place, "script"), subnet, url)


def _problem(spec: Spec, path: Path, subnet: str, url: str) -> Problem:
    if reaches_internet(spec, subnet) or _S3_HOST.match(url):
        return Problem(path, f"{url} is run as root, and nothing says that it is still what you read")
    return Problem(path, f"nodes cannot fetch {url}: network.internet is none", severity="error")


def _actions(spec: Spec) -> Iterator[tuple[Path, str, CustomActions]]:
    yield ("head_node",), spec.head_node.subnet, spec.head_node.custom_actions
    for path, pool in spec.login_pools():
        yield path, pool.subnet, pool.custom_actions
    for index, queue in enumerate(spec.queues):
        yield ("queues", index), queue.subnet, queue.custom_actions


def scripts_of(actions: CustomActions) -> Iterator[tuple[Path, str]]:
    """Yield the addresses of the scripts of a node, with their places below its custom_actions."""
    for moment in _MOMENTS:
        for index, action in enumerate(getattr(actions, moment, ())):
            yield (moment, index), action.script


def reaches_internet(spec: Spec, subnet: str) -> bool:
    """Return whether nodes in a subnet do, as far as the spec says."""
    # What a subnet that is named by its id reaches is not known here.
    return spec.network.internet == "nat" or spec.network.http_proxy is not None or subnet != "private"


RULE = Rule(
    severity="warning",
    confidence="possible",
    title="Script from the internet",
    rationale=(
        "ParallelCluster runs the script as root on every node that starts, at any time, without a checksum. Who "
        "can change what lies at the address owns the cluster, and when it is gone, no node starts."
    ),
    remedy="put a copy that you have read into a bucket of your own and name it with s3://",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/custom-bootstrap-actions-v3.html",
    bad="""\
login_nodes:
  custom_actions:
    after_setup: [{script: https://example.com/scripts/setup.sh}]
""",
    good="""\
login_nodes:
  custom_actions:
    after_setup: [{script: s3://my-bucket/scripts/setup.sh}]
iam: {policies: ["arn:aws:iam::123456789012:policy/read-my-bucket"]}
""",
    check=check,
)
