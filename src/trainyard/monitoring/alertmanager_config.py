"""What Alertmanager is told, from alertmanager.yaml: its own for self-hosting, and that of a workspace of Amazon's."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import yaml

from trainyard.document.write import yaml_text
from trainyard.spec.software import AlertReceiver

_FILE = Path(__file__).with_name("alertmanager.yaml")
_RECEIVERS = Path(__file__).with_name("alert_receivers.yaml")
# Where systemd puts what trainyard-alertmanager-receivers.conf names, each file with the name of the folder before its
# own: load_cred_recurse_dir_cb of systemd, https://github.com/systemd/systemd/blob/main/src/core/exec-credential.c
_CREDENTIALS = "/run/credentials/trainyard-alertmanager.service/receivers_"
# api_url_file since Alertmanager 0.22, routing_key_file since 0.25, url_file since 0.26 and without a crash since 0.28:
# https://github.com/prometheus/alertmanager/blob/main/CHANGELOG.md (read 2026-11-27). The assets have 0.31.1.
_KEYS = {"slack": "api_url_file", "pagerduty": "routing_key_file", "webhook": "url_file"}

Place = Callable[[int, AlertReceiver], dict[str, Any]]
"""Returns the keys by which Alertmanager finds the secret of a receiver, whose number is its place in the spec."""


def alertmanager_config(
    topic_arn: str, heartbeat_topic_arn: str, region: str, receivers: Iterable[AlertReceiver] = ()
) -> dict[str, Any]:
    """Return the configuration of an Alertmanager that tells a topic of SNS, and another that it is alive.

    Its credentials for them are those that the SDK finds, such as the role of the instance. The secrets of further
    receivers are in files that systemd hands to its unit.
    """
    return _config(topic_arn, heartbeat_topic_arn, region, receivers, _in_file)


def amp_definition(
    topic_arn: str, heartbeat_topic_arn: str, region: str, receivers: Iterable[AlertReceiver] = ()
) -> str:
    """Return the same as the definition of a workspace: a document that has it as text, under a key of its own.

    https://docs.aws.amazon.com/prometheus/latest/APIReference/yaml-AlertManagerDefinitionData.html
    """
    config = _config(topic_arn, heartbeat_topic_arn, region, receivers, _in_secrets_manager)
    return yaml_text({"alertmanager_config": yaml_text(config, blocks=True)}, blocks=True)


def stack_definition(receivers: Iterable[AlertReceiver] = ()) -> str:
    """Return the definition in the template of the stack, where Fn::Sub puts in what stands in braces."""
    return amp_definition("${AlertTopic}", "${HeartbeatTopic}", "${AWS::Region}", receivers)


def credential(number: int, receiver: AlertReceiver) -> str:
    """Return the name of the file with the secret of a receiver."""
    return f"{receiver.kind}-{number}"


def _config(
    topic_arn: str, heartbeat_topic_arn: str, region: str, receivers: Iterable[AlertReceiver], place: Place
) -> dict[str, Any]:
    config = _content(_FILE)
    of_severity = {receiver["name"]: receiver for receiver in config["receivers"]}
    for name, receiver in of_severity.items():
        topic = heartbeat_topic_arn if name == "heartbeat" else topic_arn
        for sns in receiver["sns_configs"]:
            sns |= {"topic_arn": topic, "sigv4": {"region": region}}
    for number, receiver in enumerate(receivers, 1):
        for severity in dict.fromkeys(receiver.severities):
            told = _content(_RECEIVERS)[receiver.kind] | place(number, receiver)
            # Those that PagerDuty knows have the same names: https://developer.pagerduty.com/docs/send-alert-event
            own = {"severity": severity} if receiver.kind == "pagerduty" else {}
            of_severity[severity].setdefault(f"{receiver.kind}_configs", []).append(told | own)
    return config


def _in_file(number: int, receiver: AlertReceiver) -> dict[str, Any]:
    return {_KEYS[receiver.kind]: f"{_CREDENTIALS}{credential(number, receiver)}"}


def _in_secrets_manager(number: int, receiver: AlertReceiver) -> dict[str, Any]:
    """Return how Amazon's service is told of a secret, which it reads itself.

    https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-alertmanager-pagerduty-configure-alertmanager.html
    """
    del number
    secret = {"secret_arn": receiver.secret, "secret_key": "routing_key", "refresh_interval": "5m"}
    return {"routing_key": {"aws_secrets_manager": secret}}


def _content(file: Path) -> dict[str, Any]:
    content: dict[str, Any] = yaml.load(file.read_bytes(), Loader=yaml.CSafeLoader)
    return content
