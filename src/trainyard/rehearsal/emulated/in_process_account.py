"""Calls of the emulated account to itself: botocore as ever, but answered in this process, without a network."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from functools import cache, partial
from typing import Any
from wsgiref.types import WSGIApplication

from botocore import UNSIGNED
from botocore.awsrequest import AWSResponse
from botocore.config import Config
from botocore.session import Session
from moto.core import utils as moto_utils
from moto.core.loaders import create_loader
from moto.core.models import DEFAULT_ACCOUNT_ID
from werkzeug.test import EnvironBuilder, run_wsgi_app

_APPLICATION: list[WSGIApplication] = []
# Nothing is signed, which would take longer than many an answer. It only tells of which service and region a call is.
_CREDENTIAL = "AWS4-HMAC-SHA256 Credential=AKIAEMULATEDINSIDE00/20260101/{}/{}/aws4_request, SignedHeaders=, Signature="
_NOWHERE = "http://127.0.0.1:9"  # the discard port: nothing is sent there


def let_calls_in(application: WSGIApplication) -> None:
    """Say which application answers the calls."""
    _APPLICATION[:] = [application]


class InProcessAccount:
    """The emulated account of one region, called from inside."""

    def __init__(self, region: str, account_id: str | None = None) -> None:
        """Call in this region."""
        self.region = region
        self.account_id = account_id or os.environ.get("MOTO_ACCOUNT_ID", DEFAULT_ACCOUNT_ID)

    def client(self, service: str) -> Any:
        """Return botocore's client of a service."""
        return _client(service, self.region)


@cache
def _session() -> Session:
    session = Session()
    # Moto reads the models of services as well. With one loader each is read once: they are megabytes of JSON.
    loader = create_loader()
    setattr(moto_utils, create_loader.__name__, lambda: loader)
    session.register_component("data_loader", loader)
    for name, value in (("config_file", os.devnull), ("credentials_file", os.devnull)):
        session.set_config_variable(name, value)
    return session


@cache
def _client(service: str, region: str) -> Any:
    config = Config(
        retries={"total_max_attempts": 1}, proxies={}, s3={"addressing_style": "path"}, signature_version=UNSIGNED
    )
    client = _session().create_client(service, region_name=region, endpoint_url=_NOWHERE, config=config)
    name = client.meta.service_model.signing_name
    client.meta.events.register("before-send", partial(_answer, _CREDENTIAL.format(region, name)))
    return client


def _answer(credential: str, request: Any, **_: Any) -> AWSResponse:
    body = request.body if not hasattr(request.body, "read") else request.body.read()
    builder = EnvironBuilder(
        path=request.url.removeprefix(_NOWHERE),
        method=request.method,
        headers=[("Authorization", credential), *((name, _text(value)) for name, value in request.headers.items())],
        data=body or b"",
    )
    parts, status, headers = run_wsgi_app(_APPLICATION[0], builder.get_environ())
    return AWSResponse(request.url, int(status.split()[0]), dict(headers), _Raw(b"".join(parts)))


def _text(value: str | bytes) -> str:
    return value.decode() if isinstance(value, bytes) else value


class _Raw(io.BytesIO):
    """What botocore reads an answer from."""

    def stream(self, **_: Any) -> Iterator[bytes]:
        """Give everything at once."""
        yield self.read()
