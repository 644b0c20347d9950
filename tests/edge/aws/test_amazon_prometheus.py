"""Signed requests, verified as Amazon Managed Prometheus does it: by signing them once more."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from tests.edge.prometheus_stand_in import Says, StandIn, standing_in
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.amazon_prometheus import amazon_prometheus
from trainyard.edge.prometheus_api import PrometheusApi
from trainyard.errors import TrainyardError

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]
HOST = "aps-workspaces.us-east-2.amazonaws.com"
ENDPOINT = f"https://{HOST}/workspaces/ws-1/"
KEYS = {"AWS_ACCESS_KEY_ID": "AKIAEXAMPLE", "AWS_SECRET_ACCESS_KEY": "secret"}


@pytest.fixture
def server():
    with standing_in() as made:
        yield made


@pytest.fixture(autouse=True)
def no_configuration(monkeypatch, tmp_path):
    for name in (*KEYS, "AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_CONTAINER_CREDENTIALS_FULL_URI"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


def workspace(server: StandIn, credentials: dict[str, str] | None = None) -> PrometheusApi:
    return amazon_prometheus(
        ENDPOINT, Account("us-east-1", server.url, credentials=KEYS if credentials is None else credentials)
    )


def signature(server: StandIn, number: int, key: str = "AKIAEXAMPLE", secret: str = "secret") -> str:
    """Return the signature that a request should have had, made of what arrived."""
    method, path, _, headers, body = server.requests[number]
    names = re.search(r"SignedHeaders=([^,]+)", headers["Authorization"])
    assert names is not None
    arrived = {name.lower(): value for name, value in headers.items()}
    signed = {name: arrived[name] for name in names[1].split(";") if name not in {"host", "x-amz-date"}}
    request = AWSRequest(method, f"https://{arrived['host']}{path}", headers=signed, data=body)
    signer = SigV4Auth(Credentials(key, secret, arrived.get("x-amz-security-token")), "aps", "us-east-2")
    request.context["timestamp"] = arrived["x-amz-date"]
    request.headers["X-Amz-Date"] = arrived["x-amz-date"]
    made: str = signer.signature(signer.string_to_sign(request, signer.canonical_request(request)), request)
    return made


def test_a_request_is_signed_for_the_service_and_the_region_of_the_workspace(server):
    workspace(server).query('up{cluster="llm p5"}', 100)
    _, path, _, headers, body = server.requests[0]
    assert path == "/workspaces/ws-1/api/v1/query"
    assert headers["Host"] == HOST
    assert b"llm+p5" in body
    assert "/us-east-2/aps/aws4_request" in headers["Authorization"]
    assert headers["Authorization"].endswith(f"Signature={signature(server, 0)}")
    assert "secret" not in str(headers)


def test_another_secret_would_give_another_signature(server):
    workspace(server).query("up")
    assert signature(server, 0, secret="another") not in server.requests[0][3]["Authorization"]


def test_a_session_token_is_signed_along(server):
    workspace(server, {**KEYS, "AWS_SESSION_TOKEN": "token"}).query("up")
    headers = server.requests[0][3]
    assert headers["X-Amz-Security-Token"] == "token"
    assert "x-amz-security-token" in headers["Authorization"]
    assert headers["Authorization"].endswith(f"Signature={signature(server, 0)}")


def test_credentials_that_have_expired_are_read_anew_once(server, tmp_path):
    write(tmp_path, "FIRST")
    api = workspace(server, {})
    api.query("up")
    write(tmp_path, "SECOND")
    server.answers = [expired(), Says()]
    assert api.query("up") == []
    used = [re.search(r"Credential=(\w+)/", headers["Authorization"]) for *_, headers, _ in server.requests]
    assert [match and match[1] for match in used] == ["FIRST", "FIRST", "SECOND"]
    server.answers = [expired()]
    server.requests.clear()
    with pytest.raises(TrainyardError, match="token included in the request is expired") as error:
        api.query("up")
    assert "aws sso login" in str(error.value.hint)
    assert len(server.requests) == 2


def expired() -> Says:
    return Says('{"message": "The security token included in the request is expired"}', 403, {"x-amzn-requestid": "1"})


def write(folder: Path, key: str) -> None:
    text = f"[default]\naws_access_key_id = {key}\naws_secret_access_key = secret\n"
    (folder / "credentials").write_text(text)


def test_credentials_that_end_soon_are_renewed_before_they_do(server, tmp_path):
    """As those of a role or of single sign-on: the SDK asks for new ones by itself."""
    soon = (datetime.now(UTC) + timedelta(minutes=5)).isoformat()
    program = tmp_path / "program"
    program.write_text(
        f"""#!/bin/sh
echo x >> {tmp_path}/calls
echo '{{"Version": 1, "AccessKeyId": "KEY'$(wc -l < {tmp_path}/calls)'", "SecretAccessKey": "s", \
"SessionToken": "t", "Expiration": "{soon}"}}'
"""
    )
    program.chmod(0o755)
    (tmp_path / "config").write_text(f"[default]\ncredential_process = {program}\n")
    api = workspace(server, {})
    for _ in range(2):
        api.query("up")
    used = [re.search(r"Credential=KEY *(\d)/", headers["Authorization"]) for *_, headers, _ in server.requests]
    numbers = [int(match[1]) for match in used if match]
    assert len(numbers) == 2
    assert numbers[1] > numbers[0]


def test_without_credentials_nothing_is_sent(server):
    with pytest.raises(TrainyardError, match="no AWS credentials"):
        workspace(server, {}).query("up")
    assert server.requests == []


@pytest.mark.parametrize(
    ("message", "hint"),
    [
        ("Missing Authentication Token", "without a signature"),
        ("User: arn:aws:iam::1:user/x is not authorized to perform: aps:QueryMetrics", "AmazonPrometheusQueryAccess"),
        ("The security token included in the request is invalid.", "does not know these credentials"),
        ("Credential should be scoped to a valid region.", "--region"),
        ("The request signature we calculated does not match the signature you provided.", "secret key"),
        ("Signature expired: 20261121T000000Z is now earlier than 20261121T010000Z", "clock"),
        ("something new", "check the rights"),
    ],
)
def test_each_reason_of_a_403_has_its_own_remedy(message, hint, server):
    server.answers = [Says(f'{{"message": "{message}"}}', 403, {"x-amzn-requestid": "1"})]
    with pytest.raises(TrainyardError, match=r"Amazon Managed Prometheus refuses: ") as error:
        workspace(server).query("up")
    assert message in error.value.problem
    assert hint in str(error.value.hint)


def test_a_workspace_that_is_gone_is_told_as_such(server):
    server.answers = [Says('{"message": "Workspace not found"}', 404, {"x-amzn-requestid": "1"})]
    with pytest.raises(TrainyardError, match="no such workspace: Workspace not found"):
        workspace(server).query("up")


def test_a_workspace_is_ready_when_it_answers_a_query(server):
    workspace(server).expect_ready()
    assert [path for _, path, *_ in server.requests] == ["/workspaces/ws-1/api/v1/query"]
