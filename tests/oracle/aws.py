"""What every answer of the made-up account is built from: its ids, and the errors of AWS. Python 3.9 syntax."""

from __future__ import annotations

import hashlib

from botocore.exceptions import ClientError

ACCOUNT_ID = "123456789012"
VPC = "vpc-0a1b2c3d4e5f60718"
VPC_CIDR = "10.0.0.0/16"


def made_up_id(prefix: str, *seeds: str) -> str:
    """Return an id of the usual form, the same for the same seeds."""
    return f"{prefix}-{hashlib.sha256('/'.join(seeds).encode()).hexdigest()[:17]}"


def refusal(code: str, message: str) -> Exception:
    """Return the error of a call that AWS refuses."""
    refused: Exception = ClientError({"Error": {"Code": code, "Message": message}}, "AWS")
    return refused
