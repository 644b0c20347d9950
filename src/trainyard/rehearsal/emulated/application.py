"""Takes every call of the emulated account to the service that it is for, one call at a time."""

from __future__ import annotations

import io
import json
import sys
import threading
import traceback
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any
from xml.sax.saxutils import escape

from flask import Flask
from moto.core.utils import convert_to_flask_response
from moto.moto_server.werkzeug_app import (
    HTTP_METHODS,
    BackendRequest,
    DomainDispatcherApplication,
    create_backend_app,
)

from trainyard.rehearsal.emulated import pages
from trainyard.rehearsal.emulated.engine.api import CloudFormation
from trainyard.rehearsal.emulated.extensions import api_modules

StartResponse = Callable[..., Any]

_CODE = "NotEmulated"
# How EC2, S3 and the other services that speak XML wrap an error.
_WRAPS = {
    "ec2": "<Response><Errors><Error>{}</Error></Errors><RequestID>0</RequestID></Response>",
    "s3": "<Error>{}</Error>",
    "": "<ErrorResponse><Error>{}</Error><RequestId>0</RequestId></ErrorResponse>",
}
# https://smithy.io/2.0/aws/protocols/index.html
_XML = (
    "autoscaling",
    "cloudformation",
    "ec2",
    "elasticloadbalancing",
    "iam",
    "monitoring",
    "route53",
    "sns",
    "sqs",
    "sts",
)


class _Dispatcher(DomainDispatcherApplication):
    """Moto's choice of a service, remembered for each host: moto lists its folders and tries patterns at every call."""

    def __init__(self) -> None:
        super().__init__(create_backend_app)
        self._services: dict[str | None, Any] = {}

    def get_backend_for_host(self, host: str | None) -> Any:
        if host not in self._services:
            self._services[host] = super().get_backend_for_host(host)
        return self._services[host]


class Application:
    """The emulated account as a WSGI application.

    One thread answers all calls: moto's backends are plain dictionaries, and CloudFormation calls them while it is
    called itself. It lives as long as its process: OpenSSL, with which moto makes keys, holds a lock while a thread
    ends, and in a copy of the process that is made meanwhile nobody would ever let go of it.
    """

    def __init__(self) -> None:
        """Take the services that moto lacks from the extensions."""
        self._moto = _Dispatcher()
        applications = {
            module.SIGNING_NAME: module.RESPONSES for module in api_modules() if hasattr(module, "RESPONSES")
        }
        applications["cloudformation"] = CloudFormation
        self._by_host = [module for module in api_modules() if hasattr(module, "HOST")]
        self._ours: dict[str, Any] = {name: _flask(responses) for name, responses in applications.items()}
        self.begin()

    def begin(self) -> None:
        """Answer in a new thread from now on: in a copy of the process, only the one that made the copy lives."""
        self._thread = 0
        self._calls = ThreadPoolExecutor(1, initializer=self._begin)

    def _begin(self) -> None:
        self._thread = threading.get_ident()

    def __call__(self, environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        """Answer a call. What is sent is read before its turn, so that a slow client holds nobody up."""
        environ["wsgi.input"] = io.BytesIO(_body(environ))
        if threading.get_ident() == self._thread:
            return self._answer(environ, start_response)
        return self._calls.submit(self._answer, environ, start_response).result()

    def _answer(self, environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        path = str(environ.get("PATH_INFO", ""))
        if path.startswith("/trainyard/"):
            return _page(path, environ, start_response)
        host = str(environ.get("HTTP_HOST", ""))
        by_host = next((module for module in self._by_host if module.HOST.fullmatch(host)), None)
        answering = by_host and by_host.application
        name = by_host.NAME if by_host else _signing_name(environ)
        pages.count(name, environ)
        try:
            return list((answering or self._ours.get(name, self._moto))(environ, start_response))
        except Exception as error:  # noqa: BLE001  # whatever moto raises, the caller is to hear what it was
            return answer(error, name, environ, start_response)


def _body(environ: dict[str, Any]) -> bytes:
    stream = environ["wsgi.input"]
    if environ.get("wsgi.input_terminated"):
        return bytes(stream.read())
    return bytes(stream.read(int(environ.get("CONTENT_LENGTH") or 0)))


def _signing_name(environ: dict[str, Any]) -> str:
    # The header has a credential of five parts: key, date, region, service, and a constant.
    # https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
    scope = str(environ.get("HTTP_AUTHORIZATION", "")).partition("Credential=")[2].partition(",")[0].split("/")
    return scope[3] if len(scope) == 5 else ""


def _flask(responses: Any) -> Flask:
    app = Flask("moto")
    app.request_class = BackendRequest
    app.debug = True  # let exceptions out, as moto's own applications do
    view = convert_to_flask_response(responses.dispatch)
    for rule in ("/", "/<path:path>"):
        app.add_url_rule(rule, endpoint=rule, methods=HTTP_METHODS, view_func=lambda **_: view(), strict_slashes=False)
    return app


def _page(path: str, environ: dict[str, Any], start_response: StartResponse) -> list[bytes]:
    page = _page_of(path.removeprefix("/trainyard/"), environ)
    start_response("200 OK" if page else "404 NOT FOUND", [("Content-Type", "application/json")])
    return [json.dumps(page() if page else {"pages": sorted(pages.PAGES)}, default=str).encode()]


def _page_of(name: str, environ: dict[str, Any]) -> Callable[[], Any] | None:
    if environ.get("REQUEST_METHOD") == "PUT":
        take = pages.TAKES.get(name)
        return take and partial(take, json.loads(environ["wsgi.input"].read()))
    return pages.PAGES.get(name)


def answer(error: Exception, service: str, environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
    """Answer with the error, in the language of the call. The whole story goes to standard error."""
    traceback.print_exception(error, file=sys.stderr)
    problem = f"the emulated account cannot answer this call of {service or 'an unknown service'}: "
    problem += f"{type(error).__name__}: {error}"
    return refusal("501 Not Implemented", _CODE, problem, environ, start_response)


def refusal(
    status: str, code: str, problem: str, environ: dict[str, Any], start_response: Callable[..., Any]
) -> list[bytes]:
    """Answer with a code and a sentence, in the language of the call."""
    service = _signing_name(environ)
    speaks_json = "json" in str(environ.get("CONTENT_TYPE", "")) or service not in ("s3", *_XML)
    body = json.dumps({"__type": code, "message": problem}) if speaks_json else _xml(service, code, problem)
    kind = "application/json" if speaks_json else "text/xml"
    start_response(status, [("Content-Type", kind), ("x-amzn-ErrorType", code)])
    return [body.encode()]


def _xml(service: str, code: str, problem: str) -> str:
    error = f"<Code>{code}</Code><Message>{escape(problem)}</Message>"
    return _WRAPS.get(service, _WRAPS[""]).format(error)
