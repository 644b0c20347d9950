"""The token for an API server is a signed call of STS, for one cluster and a minute."""

from __future__ import annotations

import json
import subprocess
import sys
from base64 import urlsafe_b64decode
from datetime import UTC, datetime
from urllib.parse import parse_qs, urlsplit

import pytest

from trainyard.edge.aws.account import Account
from trainyard.edge.kubernetes.token import credential, token
from trainyard.errors import TrainyardError

KEYS = {"AWS_ACCESS_KEY_ID": "AKIAEXAMPLEEXAMPLE00", "AWS_SECRET_ACCESS_KEY": "made-up"}


def url_of(made: str) -> str:
    signed = made.removeprefix("k8s-aws-v1.")
    return urlsafe_b64decode(signed + "=" * (-len(signed) % 4)).decode()


def test_it_is_signed_for_the_cluster_and_the_region():
    made = token(Account("us-east-2", credentials=KEYS), "llm")
    assert made.startswith("k8s-aws-v1.")
    assert "=" not in made
    url = urlsplit(url_of(made))
    asked = parse_qs(url.query)
    assert (url.scheme, url.netloc) == ("https", "sts.us-east-2.amazonaws.com")
    assert asked["Action"] == ["GetCallerIdentity"]
    assert asked["X-Amz-SignedHeaders"] == ["host;x-k8s-aws-id"]
    assert asked["X-Amz-Expires"] == ["60"]
    assert "/us-east-2/sts/aws4_request" in asked["X-Amz-Credential"][0]


def test_clusters_and_regions_of_china_are_signed_for_their_own_sts():
    made = url_of(token(Account("cn-north-1", credentials=KEYS), "llm"))
    assert urlsplit(made).netloc == "sts.cn-north-1.amazonaws.com.cn"


def test_another_cluster_has_another_signature():
    account = Account("us-east-2", credentials=KEYS)
    assert token(account, "llm") != token(account, "other")


def test_calls_that_follow_are_not_signed_for_the_cluster():
    account = Account("us-east-2", credentials=KEYS)
    token(account, "llm")
    url = account.client("sts").generate_presigned_url("get_caller_identity")
    assert "x-k8s-aws-id" not in url


def test_the_credential_is_what_kubectl_reads():
    made = credential(Account("us-east-2", credentials=KEYS), "llm", datetime(2026, 11, 22, 4, 0, tzinfo=UTC))
    assert made["kind"] == "ExecCredential"
    assert made["apiVersion"] == "client.authentication.k8s.io/v1"
    assert made["status"]["expirationTimestamp"] == "2026-11-22T04:14:00Z"


def test_without_credentials_it_says_so(monkeypatch, tmp_path):
    for name in ("AWS_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    with pytest.raises(TrainyardError, match="no AWS credentials"):
        token(Account("us-east-2"), "llm")


def run(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    program = [sys.executable, "-P", "-m", "trainyard.edge.kubernetes.token", *arguments]
    return subprocess.run(program, env=variables, capture_output=True, encoding="utf-8", check=False)


def test_the_program_prints_a_credential():
    done = run("us-east-2", "llm", **KEYS)
    assert done.returncode == 0
    assert "x-k8s-aws-id" in url_of(json.loads(done.stdout)["status"]["token"])


def test_the_program_says_in_one_line_what_is_wrong():
    done = run("us-east-2", "llm", AWS_PROFILE="nobody", AWS_CONFIG_FILE="/dev/null")
    assert done.returncode == 1
    assert done.stdout == ""
    assert "nobody" in done.stderr
    assert "Traceback" not in done.stderr
