"""An account in the memory of this process in which eksctl can make clusters: EKS and CloudFormation of rehearsals."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any
from unittest.mock import patch

from moto.iam import models as iam
from moto.iam.aws_managed_policies import aws_managed_policies_data

from tests.edge.aws.in_memory import InMemoryAccount, account_in_memory
from trainyard.edge.aws.account import Account
from trainyard.rehearsal.emulated.application import Application
from trainyard.rehearsal.emulated.eks import state as eks
from trainyard.rehearsal.emulated.engine import stacks
from trainyard.rehearsal.emulated.in_process_account import InProcessAccount, let_calls_in

_ATTACHED = ("AmazonEC2ContainerRegistry", "AmazonEKS", "AmazonFSx", "AmazonSSM", "CloudWatchAgent")


class EksInMemoryAccount(InMemoryAccount):
    """moto answers for all other services: its clusters have no add-ons, and its stacks cannot make them."""

    def _made(self, key: tuple[str, str]) -> Any:
        service, region = key
        if service in ("cloudformation", "eks"):
            return InProcessAccount(region).client(service)
        return super()._made(key)


@contextmanager
def eks_in_memory(region: str = "us-east-2") -> Iterator[Account]:
    """Hand out an empty account."""
    let_calls_in(_application())
    loaded = patch.dict(os.environ, {"MOTO_IAM_LOAD_MANAGED_POLICIES": "true"})
    policies = patch.object(iam, "aws_managed_policies_data", _managed_policies())
    with account_in_memory(region) as account, loaded, policies:
        try:
            yield EksInMemoryAccount(region, credentials=account.credentials, clock=account.clock)
        finally:
            eks._STATES.clear()
            stacks._STACKS.clear()


@cache
def _application() -> Application:
    return Application()


@cache
def _managed_policies() -> str:
    """Return the few policies that eksctl gives roles. moto makes objects of all for each account, which takes long."""
    policies = json.loads(aws_managed_policies_data)
    return json.dumps({name: policy for name, policy in policies.items() if name.startswith(_ATTACHED)})
