"""Who may call an emulated account that stays: whoever has its access key, and no other user of this machine.

The key is as long as a password is, and calls are not signed for anybody but this process, so the key alone is looked
at and not the signature.
"""

from __future__ import annotations

import hmac
import re
import time
from collections.abc import Callable, Iterable
from typing import Any
from wsgiref.types import WSGIApplication

from trainyard.rehearsal.emulated.apis.grafana_http import HOST as GRAFANA
from trainyard.rehearsal.emulated.application import refusal

# In the header, and in the query of addresses that were signed beforehand:
# https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
_CREDENTIAL = re.compile(r"Credential=([A-Z0-9]+)(?:/|%2F)", re.IGNORECASE)


class KeyCheck:
    """Hands calls on that carry the key, and remembers when the last one came."""

    last_call_s = time.monotonic()

    def __init__(self, application: WSGIApplication, key: str) -> None:
        """Take whoever answers, and the key."""
        self._application, self._key = application, key

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Answer a call, or refuse it. Grafana has keys of its own."""
        if not (self._has_key(environ) or GRAFANA.fullmatch(str(environ.get("HTTP_HOST", "")))):
            problem = "The security token included in the request is not that of this emulated account"
            return refusal("403 Forbidden", "InvalidClientTokenId", problem, environ, start_response)
        KeyCheck.last_call_s = time.monotonic()
        return self._application(environ, start_response)

    def _has_key(self, environ: dict[str, Any]) -> bool:
        signed = (environ.get("HTTP_AUTHORIZATION", ""), environ.get("QUERY_STRING", ""))
        keys = [match[1] for text in signed if (match := _CREDENTIAL.search(str(text)))]
        keys.append(str(environ.get("HTTP_X_TRAINYARD_KEY", "")))
        return any(hmac.compare_digest(key.encode(), self._key.encode()) for key in keys)
