"""What Alertmanager is told, from alertmanager.yaml: its own for self-hosting, and that of a workspace of Amazon's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from trainyard.document.write import yaml_text

_FILE = Path(__file__).with_name("alertmanager.yaml")


def alertmanager_config(topic_arn: str, heartbeat_topic_arn: str, region: str) -> dict[str, Any]:
    """Return the configuration of an Alertmanager that tells a topic of SNS, and another that it is alive.

    Its credentials are those that the SDK finds, such as the role of the instance.
    """
    config: dict[str, Any] = yaml.load(_FILE.read_bytes(), Loader=yaml.CSafeLoader)
    for receiver in config["receivers"]:
        topic = heartbeat_topic_arn if receiver["name"] == "heartbeat" else topic_arn
        for sns in receiver["sns_configs"]:
            sns |= {"topic_arn": topic, "sigv4": {"region": region}}
    return config


def amp_definition(topic_arn: str, heartbeat_topic_arn: str, region: str) -> str:
    """Return the same as the definition of a workspace: a document that has it as text, under a key of its own.

    https://docs.aws.amazon.com/prometheus/latest/APIReference/yaml-AlertManagerDefinitionData.html
    """
    config = yaml_text(alertmanager_config(topic_arn, heartbeat_topic_arn, region), blocks=True)
    return yaml_text({"alertmanager_config": config}, blocks=True)
