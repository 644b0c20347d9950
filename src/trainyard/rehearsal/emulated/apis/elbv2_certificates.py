"""Load balancers: a secure listener has a certificate that exists. Moto asks for neither.

https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_CreateListener.html
https://github.com/getmoto/moto/blob/5.2.5/moto/elbv2/models.py#L1397
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from moto.acm.models import acm_backends
from moto.core.exceptions import ServiceException
from moto.elbv2.models import ELBv2Backend

from trainyard.rehearsal.emulated.actions import wrap

_SECURE = ("HTTPS", "TLS")


class _CertificateError(ServiceException):
    code = "CertificateNotFound"


class _ConfigurationError(ServiceException):
    code = "ValidationError"


def install() -> None:
    """Look before a listener is made."""
    wrap(ELBv2Backend, "create_listener", _create_listener)


def _create_listener(former: Callable[..., Any], backend: Any, *arguments: Any, **named: Any) -> Any:
    balancer, protocol, port, policy, certificate, *others = _in_order(arguments, named)
    if protocol in _SECURE and not certificate:
        raise _ConfigurationError(f"A certificate must be specified for {protocol} listeners")
    if certificate and ":acm:" in certificate and not _exists(backend, certificate):
        raise _CertificateError(f"Certificate '{certificate}' not found")
    return former(backend, balancer, protocol, port, policy, certificate, *others)


def _in_order(arguments: tuple[Any, ...], named: dict[str, Any]) -> list[Any]:
    names = ("load_balancer_arn", "protocol", "port", "ssl_policy", "certificate", "actions", "alpn_policy", "tags")
    return [*arguments, *(named.get(name) for name in names[len(arguments) :])]


def _exists(backend: Any, certificate: str) -> bool:
    certificates = acm_backends[backend.account_id][backend.region_name]._certificates  # noqa: SLF001  # moto has no public way
    return certificate in certificates
