"""The real eksctl is asked about its file where it is installed; a program stands in for it here, with its schema."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.oracles import EKSCTL_SCHEMA, needs
from trainyard.api.new import new_spec
from trainyard.document.write import yaml_text
from trainyard.edge.aws.account import Account
from trainyard.edge.eksctl import EksctlRefusedError
from trainyard.platforms.eks.rehearsal.eksctl.installed_check import InstalledEksctlCheck
from trainyard.platforms.eks.rendering.cluster import cluster
from trainyard.rehearsal.report.conditions import only_aws_can_tell, proved_claims
from trainyard.render.stand_ins import Ids
from trainyard.spec.parsing import parse

SPEC = parse(new_spec("eks-p4de-odcr", []), "cluster.yaml").spec
CONFIG = cluster(SPEC, Ids({}))
PROGRAM = """\
#!/bin/sh
case "$1 $2" in
  "utils schema") cat '{schema}' ;;
  "version --output=json") echo '{{"Version": "0.229.0"}}' ;;
  "create cluster") echo "[✖]  {said}" >&2; exit {status} ;;
esac
"""

pytestmark = [
    pytest.mark.integration,
    needs(EKSCTL_SCHEMA),
]


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def install(schema: Path = EKSCTL_SCHEMA, *, said: str = "", status: int = 0) -> InstalledEksctlCheck:
        program = tmp_path / "eksctl"
        program.write_text(PROGRAM.format(schema=schema, said=said, status=status), encoding="utf-8")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
        return InstalledEksctlCheck(
            Account("us-east-2", "http://127.0.0.1:9", credentials={"AWS_ACCESS_KEY_ID": "AKIA"})
        )

    return install


def test_a_configuration_of_ours_passes_schema_and_dry_run(installed):
    check = installed()
    check.look(yaml_text(CONFIG))
    assert check.reached == ["eksctl_schema", "eksctl_dry_run"]
    assert check.said == []


def test_a_key_that_eksctl_does_not_know_is_refused_with_its_place(installed):
    groups = [{**CONFIG["managedNodeGroups"][0], "capacityReservationId": "cr-1"}]
    with pytest.raises(EksctlRefusedError, match=r"managedNodeGroups\.0: .*capacityReservationId"):
        installed().look(yaml_text({**CONFIG, "managedNodeGroups": groups}))


def test_what_a_dry_run_says_is_told_and_stops_nothing(installed):
    check = installed(said="no such reservation", status=1)
    check.look(yaml_text(CONFIG))
    assert check.reached == ["eksctl_schema"]
    assert "no such reservation" in check.said[0]


def test_a_schema_that_is_none_is_told(installed, tmp_path: Path):
    nothing = tmp_path / "nothing.json"
    nothing.write_text("eksctl: unknown command\n", encoding="utf-8")
    check = installed(nothing)
    check.look(yaml_text(CONFIG))
    assert check.reached == ["eksctl_dry_run"]
    assert "printed no schema" in check.said[0]


def test_without_eksctl_nothing_is_asked_and_the_report_says_so():
    check = InstalledEksctlCheck(Account("us-east-2"), program=None)
    check.look(yaml_text(CONFIG))
    assert check.reached == []
    assert any("did not ask it for its schema" in one for one in only_aws_can_tell(SPEC, check.reached))


def test_what_eksctl_has_passed_is_claimed_and_no_longer_open(installed):
    check = installed()
    check.look(yaml_text(CONFIG))
    assert not any("did not ask it" in one for one in only_aws_can_tell(SPEC, check.reached))
    assert any("passed the schema" in one for one in proved_claims(SPEC, check.reached))
