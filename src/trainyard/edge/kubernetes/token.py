"""A credential plugin for kubectl: prints a token for the API server of an EKS cluster. Nothing else is to run it.

The token is a call of sts:GetCallerIdentity, signed for 60 seconds and for one cluster, which the API server makes.
https://github.com/kubernetes-sigs/aws-iam-authenticator#api-authorization-from-outside-a-cluster
https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins
"""

from __future__ import annotations

import json
import os
import sys
from base64 import urlsafe_b64encode
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from trainyard.edge.aws.account import Account, account
from trainyard.edge.aws.errors import aws_errors
from trainyard.errors import TrainyardError

API_VERSION = "client.authentication.k8s.io/v1"
_PREFIX = "k8s-aws-v1."
_SIGNED_FOR_S = 60
_SIGNING = "before-sign.sts.GetCallerIdentity"
# The API server takes a token for 15 minutes after its signing; kubectl asks for another one a minute before.
_GOOD_FOR = timedelta(minutes=14)


def token(account: Account, cluster: str) -> str:
    """Return a token. Raises TrainyardError where there are no credentials to sign it with."""

    def for_cluster(request: Any, **_: Any) -> None:
        request.headers["x-k8s-aws-id"] = cluster

    client = account.client("sts")
    client.meta.events.register(_SIGNING, for_cluster)
    try:
        with aws_errors(account.region, "sign a token for Kubernetes"):
            url: str = client.generate_presigned_url("get_caller_identity", ExpiresIn=_SIGNED_FOR_S, HttpMethod="GET")
    finally:
        client.meta.events.unregister(_SIGNING, for_cluster)
    return _PREFIX + urlsafe_b64encode(url.encode()).decode().rstrip("=")


def credential(account: Account, cluster: str, now: datetime) -> dict[str, Any]:
    """Return what kubectl wants to read."""
    expires = (now + _GOOD_FOR).strftime("%Y-%m-%dT%H:%M:%SZ")
    status = {"token": token(account, cluster), "expirationTimestamp": expires}
    return {"apiVersion": API_VERSION, "kind": "ExecCredential", "status": status}


def main(arguments: Sequence[str]) -> int:
    """Print a credential for a region and a cluster; kubectl shows what comes on standard error."""
    region, cluster = arguments
    try:
        document = credential(account(region, os.environ.get("AWS_PROFILE")), cluster, datetime.now(UTC))
    except TrainyardError as error:
        sys.stderr.write(f"trainyard: {error.problem}\n{error.hint or ''}\n")
        return error.exit_status
    sys.stdout.write(json.dumps(document))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
