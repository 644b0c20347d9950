"""What a check and a rendering load: they wait for nothing that only calls to AWS or a deployment need."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from trainyard.api.new import new_spec

COMMAND = """
import sys
from trainyard.cli import trainyard
try:
    trainyard.main(sys.argv[1:], standalone_mode=False)
except SystemExit as end:
    assert not end.code, end
slow = {"asyncio", "boto3", "botocore", "grafana_foundation_sdk", "moto", "s3transfer", "ssl", "urllib3"}
print(*sorted(slow & set(sys.modules)), file=sys.stderr)
"""


@pytest.mark.parametrize("architecture", ["p5-observability", "eks-g4dn"])
def test_a_check_and_a_rendering_load_nothing_slow(tmp_path: Path, architecture: str):
    spec = tmp_path / "spec.yaml"
    spec.write_text(new_spec(architecture))
    for arguments in (["check", str(spec)], ["render", str(spec), "-o", str(tmp_path / "bundle")]):
        command = [sys.executable, "-c", COMMAND, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert done.stderr.splitlines()[-1].split() == [], arguments[0]
