"""A password that is generated reaches nobody but who may read the secret."""

from __future__ import annotations

import json

import pytest

from tests.rehearsal.account_copies import seeded_account
from tests.rehearsal.whole import deployed
from trainyard.edge.aws import s3
from trainyard.edge.aws.stack_events import stack_events
from trainyard.edge.aws.stacks import stacks_tagged
from trainyard.render.tags import ENVIRONMENT

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]

SELF_HOSTING = """\
kind: environment
name: shared
region: us-east-2
network: {availability_zone: us-east-2a, secondary_availability_zone: us-east-2b}
access: {allow_from: [203.0.113.7/32]}
monitoring: {mode: self-hosting, certificate: "arn:aws:acm:us-east-2:123456789012:certificate/0a1b2c3d"}
"""


def test_the_password_of_grafana_is_in_no_event_template_output_or_object():
    told: list[str] = []
    with seeded_account(SELF_HOSTING) as account:
        assert deployed(account, SELF_HOSTING, listener=lambda event: told.append(event.text)).ok
        secrets = account.client("secretsmanager")
        names = [one["Name"] for one in secrets.list_secrets()["SecretList"]]
        passwords = [secrets.get_secret_value(SecretId=name)["SecretString"] for name in names]
        for stack in stacks_tagged(account, ENVIRONMENT, "shared"):
            template = account.client("cloudformation").get_template(StackName=stack.name)["TemplateBody"]
            told += [json.dumps(template, default=str), str(stack.outputs), str(stack_events(account, stack.name))]
        bucket = s3.own_bucket(account)
        for key in s3.sizes_below(account, bucket, ""):
            found = s3.get(account, bucket, key)
            assert found is not None
            told.append(found.content.decode(errors="replace"))
    assert len(passwords) == 1
    assert len(passwords[0]) >= 16
    assert not [text for text in told if passwords[0] in text]


def test_credentials_are_not_shown_with_an_account():
    with seeded_account(SELF_HOSTING) as account:
        assert account.credentials["AWS_SECRET_ACCESS_KEY"] not in repr(account)
