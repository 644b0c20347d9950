"""Configurations of ParallelCluster, judged by the rules about specs."""

from __future__ import annotations

from textwrap import dedent

from trainyard.checking.any_file import check_any_file
from trainyard.checking.foreign_file import check_foreign
from trainyard.finding import Finding
from trainyard.platforms.parallelcluster.reading.cluster import rules_on_config
from trainyard.rules import all_rules

CONFIG = """\
Region: us-east-2
Image: {{Os: {os}}}
HeadNode:
  InstanceType: m5.8xlarge
  Networking: {{SubnetId: subnet-0123456789abcdef0}}
Scheduling:
  Scheduler: slurm
  SlurmQueues:
    - Name: gpu
      CapacityType: {capacity}
      Networking:
        SubnetIds: [subnet-0123456789abcdef0]
        {networking}
      ComputeResources:
        - Name: nodes
          InstanceType: {type}
          {nodes}
"""
BLOCK = "CapacityReservationTarget: {CapacityReservationId: cr-0123456789abcdef0}"


DEFAULTS = {
    "os": "ubuntu2204", "capacity": "ONDEMAND", "networking": "", "type": "p5.48xlarge",
    "nodes": "Efa: {Enabled: true}",
}  # fmt: skip


def findings(more: str = "", **parts: str) -> list[Finding]:
    checked = check_foreign(CONFIG.format(**{**DEFAULTS, **parts}) + dedent(more), "cluster.yaml")
    assert checked is not None
    return list(checked.findings)


def told(**parts: str) -> set[tuple[str, str | None, int | None]]:
    return {(finding.id, finding.path, finding.line) for finding in findings(**parts)}


def test_a_good_configuration_has_no_findings():
    assert findings() == []


def test_findings_stand_at_the_keys_of_the_file():
    resource = "Scheduling.SlurmQueues[0].ComputeResources[0]"
    assert told(os="alinux2") == {("os-not-supported", "Image.Os", 2)}
    assert told(nodes="{Efa: {Enabled: false}}".strip("{}") + "}") == {
        ("efa-switched-off", f"{resource}.Efa.Enabled", 17)
    }
    assert told(nodes="MinCount: 3\n          MaxCount: 2\n          Efa: {Enabled: true}") == {
        ("min-above-max", f"{resource}.MinCount", 17)
    }
    assert told(networking="AssignPublicIp: true") == {
        ("multi-card-in-public-subnet", "Scheduling.SlurmQueues[0].Networking.AssignPublicIp", 13)
    }


def test_what_is_not_written_has_the_defaults_of_parallelcluster():
    (finding,) = findings(nodes="MinCount: 2")
    assert (finding.id, finding.path) == ("efa-switched-off", "Scheduling.SlurmQueues[0].ComputeResources[0].Efa")
    assert finding.remedy == "write Efa: {Enabled: true}"
    assert findings(more="Imds: {ImdsSupport: v2.0}\n") == []


def test_a_block_wants_a_fixed_number_and_no_placement_group():
    group = "PlacementGroup: {Enabled: true}"
    numbers = f"MinCount: 0\n          MaxCount: 2\n          Efa: {{Enabled: true}}\n          {BLOCK}"
    assert {finding.id for finding in findings(capacity="CAPACITY_BLOCK", networking=group, nodes=numbers)} == {
        "capacity-block-not-fixed",
        "placement-group-with-capacity-block",
    }


def test_placeholders_are_never_taken_for_values():
    numbers = "MinCount: ${LEAST}\n          MaxCount: ${MOST}\n          Efa: {Enabled: true}"
    target = "CapacityReservationTarget: {CapacityReservationId: '${BLOCK}'}"
    parts = {"os": "'${OS}'", "type": "'${TYPE}'", "nodes": f"{numbers}\n          {target}"}
    assert {finding.id for finding in findings(capacity="CAPACITY_BLOCK", **parts)} == {"parallelcluster-placeholder"}


def test_volumes_and_file_systems_are_judged():
    storage = """\
        SharedStorage:
          - {MountDir: fsx, Name: a, StorageType: FsxLustre, FsxLustreSettings: {StorageCapacity: 1000}}
          - {MountDir: /old, Name: b, StorageType: FsxLustre, FsxLustreSettings: {FileSystemId: fs-0123456789abcdef0}}
        """
    assert told(more=storage) == {
        ("lustre-size-does-not-exist", "SharedStorage[0].FsxLustreSettings.StorageCapacity", 19)
    }


def test_a_directory_tells_by_which_key_passwords_are_in_clear():
    directory = """\
        DirectoryService:
          DomainName: corp.example.com
          DomainAddr: ldap://dc.corp.example.com
          PasswordSecretArn: arn:aws:secretsmanager:us-east-2:123456789012:secret:name-AbCdEf
          DomainReadOnlyUser: cn=ReadOnly,dc=corp,dc=example,dc=com
          AdditionalSssdConfigs: {ldap_auth_disable_tls_never_use_in_production: True}
        """
    path = "DirectoryService.AdditionalSssdConfigs.ldap_auth_disable_tls_never_use_in_production"
    assert told(more=directory) == {("directory-without-tls", path, 23)}


def test_what_is_no_value_at_all_harms_no_other_finding():
    odd = """\
        SharedStorage: {MountDir: [1]}
        Tags: 5
        DirectoryService: [1]
        LoginNodes: {Pools: [5, {Name: [1], Count: {}}]}
        """
    assert ("os-not-supported", "Image.Os", 2) in told(os="alinux2", more=odd)


def test_rules_are_named_by_ids_that_exist(tmp_path):
    assert set(rules_on_config()) <= {rule.id for rule in all_rules()}
    file = tmp_path / "cluster.yaml"
    file.write_text("HeadNode: {}\n")
    assert check_any_file(str(file)).foreign == "parallelcluster"
