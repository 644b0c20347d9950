"""Service Quotas: those of the catalog, of which moto has the VPC's only, and those not as an account's own.

An account of AWS has been given its quotas by people. This one has enough of everything, made up so that any spec fits;
what AWS gives a new account is what the catalog says.

https://docs.aws.amazon.com/servicequotas/2019-06-24/apireference/API_GetServiceQuota.html
https://github.com/getmoto/moto/blob/5.2.5/moto/servicequotas/models.py
"""

from __future__ import annotations

import json
from typing import Any

from moto.servicequotas.responses import ServiceQuotasResponse

from trainyard.catalog.deployment_file import ServiceQuota
from trainyard.catalog.service_quotas import every_quota
from trainyard.rehearsal.emulated.actions import add
from trainyard.rehearsal.emulated.faults import FAULTS

_PLENTY = 1_000_000_000


def install() -> None:
    """Add the actions."""
    add(ServiceQuotasResponse, get_service_quota, get_aws_default_service_quota)


def get_service_quota(self: Any) -> str:
    """Answer GetServiceQuota: what the account may have."""
    quota = _requested_quota(self)
    return _answer(self, quota, FAULTS.quotas.get(quota.code, _PLENTY)) if quota else _motos(self)


def get_aws_default_service_quota(self: Any) -> str:
    """Answer GetAWSDefaultServiceQuota: what a new account may have."""
    quota = _requested_quota(self)
    return _answer(self, quota, quota.at_first) if quota else _motos(self)


def _requested_quota(self: Any) -> ServiceQuota | None:
    request = json.loads(self.body)
    key = (request["ServiceCode"], request["QuotaCode"])
    return next((quota for quota in every_quota() if (quota.service, quota.code) == key), None)


def _answer(self: Any, quota: ServiceQuota, value: float) -> str:
    described = {
        "ServiceCode": quota.service,
        "QuotaArn": f"arn:aws:servicequotas:{self.region}:{self.current_account}:{quota.service}/{quota.code}",
        "QuotaCode": quota.code,
        "QuotaName": quota.name,
        "Value": float(value),
        "Unit": "None",
        "Adjustable": True,
        "GlobalQuota": False,
    }
    return json.dumps({"Quota": described})


def _motos(self: Any) -> str:
    """Answer as moto does, which refuses what it does not know."""
    request = json.loads(self.body)
    return json.dumps({"Quota": self.backend.get_service_quota(request["ServiceCode"], request["QuotaCode"])})
