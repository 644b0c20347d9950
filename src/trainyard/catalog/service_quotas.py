"""Finds the quota that instances or parts of a network count towards."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from trainyard.catalog import catalog_file, deployment_file
from trainyard.catalog.deployment_file import ServiceQuota
from trainyard.catalog.source import merged_by_name

_PATH = catalog_file.FOLDER / "service_quotas.yaml"
_WHERE = "catalog/service_quotas.yaml"
_LETTERS = re.compile(r"[a-z]+")


def vcpu_quota(instance_type: str, purchase: str) -> ServiceQuota | None:
    """Return the quota for an instance type bought on-demand or as spot; None where AWS publishes none for it."""
    letters = _LETTERS.match(instance_type)
    return next(
        (
            quota
            for quota in _quotas("vcpus").values()
            if quota.purchase == purchase and letters is not None and letters[0] in quota.letters
        ),
        None,
    )


def network_quota(name: str) -> ServiceQuota:
    """Return the quota of vpcs, internet-gateways, nat-gateways-per-zone or elastic-ip-addresses."""
    return _quotas("network")[name]


def every_quota() -> tuple[ServiceQuota, ...]:
    """Return all of them."""
    return (*_quotas("vcpus").values(), *_quotas("network").values())


@cache
def _quotas(section: str) -> Mapping[str, ServiceQuota]:
    data = catalog_file.content(_PATH)
    quotas = merged_by_name(data[section], _WHERE)
    return deployment_file.validated({"sources": data["sources"], "service_quotas": quotas}).service_quotas or {}
