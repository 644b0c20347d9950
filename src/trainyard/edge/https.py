"""How https is spoken to the world: never led away from https, and with what goes wrong told apart."""

from __future__ import annotations

import http.client
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, OpenerDirector, Request, build_opener

from trainyard.errors import TrainyardError

NOT_HTTPS = "what nodes run as root is fetched over https only; look who answers at this address"


class PassingError(Exception):
    """Something that another attempt may get past. Its text says what."""


class SameScheme(HTTPRedirectHandler):
    """Follows redirects, but never from https to anything else."""

    def redirect_request(self, req: Request, *rest: Any) -> Request | None:
        """Return the request that takes the place of one that was redirected."""
        new = super().redirect_request(req, *rest)
        if new is not None and urlsplit(req.full_url).scheme == "https" and urlsplit(new.full_url).scheme != "https":
            problem = f"{req.full_url} leads to {new.full_url}, which is not https"
            raise TrainyardError(problem, where=req.full_url, hint=NOT_HTTPS)
        return new


def https_opener() -> OpenerDirector:
    """Return an opener that uses the proxies and certificates of the environment."""
    return build_opener(SameScheme)


@contextmanager
def passing() -> Iterator[None]:
    """Raise PassingError for what the network does wrong, TrainyardError for a certificate that is not accepted."""
    try:
        yield
    except HTTPError:
        raise
    except (URLError, http.client.HTTPException, OSError, ValueError) as error:  # ValueError: no address at all
        raise _told_apart(error) from error


def _told_apart(error: Exception) -> Exception:
    reason = error.reason if isinstance(error, URLError) else error
    match reason:
        case ssl.SSLCertVerificationError():
            hint = "where a proxy of your own has answered, name its certificates in SSL_CERT_FILE"
            return TrainyardError(f"the certificate is not accepted: {reason.verify_message}", hint=hint)
        case http.client.IncompleteRead():
            return PassingError("the connection ended early")
        case TimeoutError():
            return PassingError("the server did not answer in time")
        case _:
            return PassingError(f"no connection: {reason}")
