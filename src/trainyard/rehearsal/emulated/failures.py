"""What callers hear when the emulated account itself fails, or does not know what it is asked for.

The status is 501, which no client tries again: https://docs.aws.amazon.com/boto3/latest/guide/retries.html
"""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Callable
from typing import Any
from xml.sax.saxutils import escape

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


def answer(error: Exception, service: str, environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
    """Answer with the error, in the language of the call. The whole story goes to standard error."""
    traceback.print_exception(error, file=sys.stderr)
    problem = f"the emulated account cannot answer this call of {service or 'an unknown service'}: "
    problem += f"{type(error).__name__}: {error}"
    speaks_json = "json" in str(environ.get("CONTENT_TYPE", "")) or service not in ("s3", *_XML)
    body = json.dumps({"__type": _CODE, "message": problem}) if speaks_json else _xml(service, problem)
    kind = "application/json" if speaks_json else "text/xml"
    start_response("501 Not Implemented", [("Content-Type", kind), ("x-amzn-ErrorType", _CODE)])
    return [body.encode()]


def _xml(service: str, problem: str) -> str:
    error = f"<Code>{_CODE}</Code><Message>{escape(problem)}</Message>"
    return _WRAPS.get(service, _WRAPS[""]).format(error)
