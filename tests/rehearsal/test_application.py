"""The emulated account as a WSGI application, without a server."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from werkzeug.test import EnvironBuilder, run_wsgi_app

from trainyard.rehearsal.emulated.application import Application

_SIGNED = "AWS4-HMAC-SHA256 Credential=KEY/20261120/us-east-2/probe/aws4_request, SignedHeaders=host, Signature=0"


def asked(application: Application, path: str = "/", **more: Any) -> tuple[bytes, str]:
    environ = EnvironBuilder(path, headers=[("Authorization", _SIGNED)], **more).get_environ()
    parts, status, _ = run_wsgi_app(application, environ)
    return b"".join(parts), status


def test_one_call_is_answered_at_a_time_and_all_by_one_thread():
    threads: set[int] = set()
    inside: list[int] = []
    together: list[int] = []

    def probe(_environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterator[bytes]:
        inside.append(1)
        threads.add(threading.get_ident())
        together.append(len(inside))
        time.sleep(0.01)
        inside.pop()
        start_response("200 OK", [])
        yield b"done"

    application = Application()
    application._ours["probe"] = probe
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: asked(application), range(16)))
    assert answers == [(b"done", "200 OK")] * 16
    assert (max(together), len(threads)) == (1, 1)


def test_a_failure_of_a_service_is_an_answer_that_no_client_tries_again(capsys):
    def broken(_environ: dict[str, Any], _start_response: Callable[..., Any]) -> Iterator[bytes]:
        raise KeyError("what")

    application = Application()
    application._ours["probe"] = broken
    body, status = asked(application)
    assert status.startswith("501")
    assert "probe: KeyError: 'what'" in json.loads(body)["message"]
    assert "Traceback" in capsys.readouterr().err


def test_an_unknown_page_names_the_pages_there_are():
    body, status = asked(Application(), "/trainyard/nothing")
    assert status.startswith("404")
    assert {"events", "inventory"} <= set(json.loads(body)["pages"])
