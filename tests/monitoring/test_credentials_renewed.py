"""What root writes down of the metadata service is what a real Prometheus signs with, also once it was renewed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.monitoring.clusters import mixed, on_head_node
from tests.monitoring.fake_ec2 import FakeAws, fake_aws
from tests.monitoring.prometheus import real_prometheus
from tests.node.role_service import RoleService, from_now, role_service
from tests.waiting import wait_until
from trainyard.bootstrap.pyz import trainyard_node_pyz
from trainyard.monitoring.aws_config import aws_config

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]
FILE = "/run/trainyard-prometheus/credentials.json"


def renew(service: RoleService, root: Path) -> None:
    """Run what the timer runs, as the nodes have it."""
    package = root / "trainyard-node.pyz"
    package.write_bytes(trainyard_node_pyz())
    variables = {
        "TRAINYARD_SYSROOT": str(root), "AWS_EC2_METADATA_SERVICE_ENDPOINT": service.url, "PATH": "/usr/bin:/bin",
    }  # fmt: skip
    subprocess.run([sys.executable, str(package), "credentials"], env=variables, check=True, timeout=300)


def config(aws: FakeAws) -> dict[str, Any]:
    made = on_head_node(mixed())
    for job in made["scrape_configs"]:
        for discovery in job.get("ec2_sd_configs", []):
            discovery |= {"endpoint": aws.url, "refresh_interval": "1s"}
    del made["remote_write"]
    return made


def test_discovery_signs_with_the_role_s_keys_of_the_moment(tmp_path: Path):
    ini, log = tmp_path / "aws_config.ini", tmp_path / "log"
    ini.write_bytes(aws_config().replace(FILE.encode(), f"{tmp_path}{FILE}".encode()))
    variables = {"AWS_CONFIG_FILE": str(ini), "AWS_SDK_LOAD_CONFIG": "1", "AWS_EC2_METADATA_DISABLED": "true"}
    with role_service() as service, fake_aws(()) as aws:
        service.gives("FIRST", from_now(4))
        renew(service, tmp_path)
        with real_prometheus(tmp_path, config(aws), variables=variables):
            wait_until(lambda: "FIRST" in aws.keys("ec2"), log.read_text)
            service.gives("SECOND", from_now(6 * 3600))
            renew(service, tmp_path)
            wait_until(lambda: "SECOND" in aws.keys("ec2"), log.read_text)
            ended = aws.keys("ec2").index("SECOND")
            wait_until(lambda: len(aws.keys("ec2")) > ended + 3, log.read_text)
    assert set(aws.keys("ec2")[ended:]) == {"SECOND"}
