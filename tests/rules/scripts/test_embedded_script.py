"""Scripts within other files are judged by the rules about scripts, at the place where they stand."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rules.documents.found import launching, manifest_pod, template
from trainyard.checking.any_file import check_any_file
from trainyard.finding import Finding

PIPED = "curl -fsSL https://example.com/install.sh | sudo bash"


def findings(text: str, folder: Path) -> list[Finding]:
    file = folder / "file.yaml"
    file.write_text(text)
    return [finding for finding in check_any_file(str(file)).findings if finding.id.startswith("script-")]


@pytest.mark.parametrize(
    "user_data",
    [
        f"!Base64 '{PIPED}'",
        f"{{Fn::Base64: !Sub '{PIPED}'}}",
        f"{{Fn::Base64: !Sub ['{PIPED}', {{}}]}}",
        f"{{Fn::Base64: !Join [' ; ', [date, !Ref A, '{PIPED}']]}}",
    ],
)
def test_user_data_is_judged(user_data: str, tmp_path: Path):
    (finding,) = findings(template(launching(f"{{UserData: {user_data}}}")), tmp_path)
    assert finding.id == "script-download-run"
    assert finding.path == "Resources.A.Properties.LaunchTemplateData.UserData"


def test_the_command_of_a_container_is_judged(tmp_path: Path):
    pod = "apiVersion: v1\nkind: Pod\n" + manifest_pod(f"command: [bash, -c], args: ['{PIPED}']")
    (finding,) = findings(pod, tmp_path)
    assert (finding.id, finding.path) == ("script-download-run", "spec.containers[0].args")


def test_variables_of_containers_are_judged_like_exports(tmp_path: Path):
    pod = "apiVersion: v1\nkind: Pod\n" + manifest_pod("env: [{name: A, value: b}, {name: NCCL_NET, value: Socket}]")
    (finding,) = findings(pod, tmp_path)
    assert (finding.id, finding.path) == ("script-nccl-over-tcp", "spec.containers[0].env[1].value")
    job = "Batch::JobDefinition {ContainerProperties: {Environment: [{Name: FI_PROVIDER, Value: tcp}]}}"
    (finding,) = findings(template(job), tmp_path)
    assert finding.path == "Resources.A.Properties.ContainerProperties.Environment[0].Value"


def test_the_line_within_a_block_is_named(tmp_path: Path):
    head = "Resources:\n  A:\n    Type: AWS::EC2::Instance\n    Properties:\n      UserData: !Base64 |\n"
    (finding,) = findings(f"{head}        date\n        {PIPED}\n", tmp_path)
    assert (finding.line, finding.column) == (7, 9)


def test_what_is_no_text_and_clean_scripts_are_fine(tmp_path: Path):
    for data in ("!Ref A", "{Fn::Base64: !ImportValue A}", "{Fn::Base64: 'echo a'}", "[]"):
        assert findings(template(launching(f"{{UserData: {data}}}")), tmp_path) == []
    assert findings("apiVersion: v1\nkind: Pod\n" + manifest_pod("env: [{name: A}], command: text"), tmp_path) == []
