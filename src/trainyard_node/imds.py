"""What EC2 says about the instance, by IMDSv2: a token first, then the question.

https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-data-retrieval.html
"""

from __future__ import annotations

import json
import os
import re
import urllib.request
from collections.abc import Callable
from typing import NamedTuple, TypeVar
from urllib.error import HTTPError

from trainyard_node.clock import Clock
from trainyard_node.errors import NodeError

# Its name as AWS's own programs know it: https://docs.aws.amazon.com/sdkref/latest/guide/feature-imds-credentials.html
ENDPOINT = "AWS_EC2_METADATA_SERVICE_ENDPOINT"
TIMEOUT_S = 2.0
ATTEMPTS = 5
# Only this machine is asked, so no proxy is.
_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class InstanceIdentity(NamedTuple):
    """An EC2 instance."""

    id: str
    type: str
    arn: str
    """As IAM knows it. The instance may write below it in the cluster's folder, and nowhere else."""


Answer = TypeVar("Answer")


def this_instance(clock: Clock) -> InstanceIdentity:
    """Return which instance this is."""
    return ask_until_answered(_ask, clock)


def ask_until_answered(ask: Callable[[], Answer], clock: Clock) -> Answer:
    """Ask until there is an answer, but not for long: a new instance may have no network yet.

    ``ask`` raises OSError or ValueError where it got none. Raises NodeError with the words of the last one.
    """
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return ask()
        except (OSError, ValueError) as error:  # noqa: PERF203 - each attempt is a question to another machine
            if attempt == ATTEMPTS:
                raise NodeError(
                    f"the instance metadata service does not answer in {ATTEMPTS} attempts ({error}): "
                    "see that the instance has one, and that only root needs to reach it"
                ) from error
            clock.sleep(2 ** (attempt - 1))
    raise AssertionError


def metadata(*paths: str) -> list[str]:
    """Return what the service says to paths such as meta-data/instance-id. Raises OSError where it does not."""
    token = _fetch("PUT", "api/token", {"X-aws-ec2-metadata-token-ttl-seconds": "60"})
    return [_fetch("GET", path, {"X-aws-ec2-metadata-token": token}) for path in paths]


def _ask() -> InstanceIdentity:
    # https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instance-identity-documents.html
    instance_id, instance_type, partition, identity = metadata(
        "meta-data/instance-id", "meta-data/instance-type", "meta-data/services/partition",
        "dynamic/instance-identity/document",
    )  # fmt: skip
    document = json.loads(identity)
    if not isinstance(document, dict):
        raise ValueError(f"its identity document is {document!a:.30}")  # noqa: TRY004 - it is an answer like any other
    place = f"arn:{partition}:ec2:{document.get('region')}:{document.get('accountId')}"
    # They become names of files and objects.
    if not re.fullmatch(r"i-[0-9a-f]{8,17}", instance_id) or not re.fullmatch(r"[a-z0-9-]+\.[a-z0-9-]+", instance_type):
        raise ValueError(f"it says {instance_id!a:.30} and {instance_type!a:.30}")
    if not re.fullmatch(r"arn:aws[a-z-]*:ec2:[a-z0-9-]+:[0-9]{12}", place):
        raise ValueError(f"it says that it is in {place!a:.80}")
    return InstanceIdentity(instance_id, instance_type, f"{place}:instance/{instance_id}")


def _fetch(method: str, path: str, headers: dict[str, str]) -> str:
    endpoint = os.environ.get(ENDPOINT, "http://169.254.169.254").rstrip("/")
    request = urllib.request.Request(f"{endpoint}/latest/{path}", method=method, headers=headers)  # noqa: S310 - ours
    try:
        with _OPENER.open(request, timeout=TIMEOUT_S) as answer:
            return str(answer.read(10_000).decode("ascii").strip())
    except HTTPError as error:
        # It is an answer too, and would stay open for as long as the error is kept.
        error.close()
        raise
