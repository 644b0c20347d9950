"""What cluster.yaml says of file systems, volumes and logs."""

from __future__ import annotations

from typing import Any

import pytest

from tests.render.rendered import cluster, queue

KEY = "arn:aws:kms:us-east-2:123456789012:key/12345678-1234-1234-1234-123456789012"


def storage(file_system: str, rest: str = "") -> dict[str, Any]:
    (found,) = cluster(f"file_systems: [{{mount: /x, {file_system}}}]\n{rest}")["SharedStorage"]
    return {key: value for key, value in found.items() if key.endswith("Settings")}


def test_volumes_have_the_speed_that_was_asked_for():
    part = "head_node: {root_volume: {size_gib: 300, type: gp3, iops: 4000, throughput_mib_s: 500}}"
    assert cluster(part)["HeadNode"]["LocalStorage"]["RootVolume"] == {
        "Size": 300,
        "VolumeType": "gp3",
        "Iops": 4000,
        "Throughput": 500,
        "Encrypted": True,
    }


def test_compute_nodes_keep_their_scratch_beside_their_root_volume():
    part = "queues: [{name: q, instance_type: p5.48xlarge, root_volume: {type: io2}}]\nscratch: {mount: /nvme}"
    assert queue(part)["ComputeSettings"]["LocalStorage"] == {
        "RootVolume": {"Size": 200, "VolumeType": "io2", "Encrypted": True},
        "EphemeralVolume": {"MountDir": "/nvme"},
    }


@pytest.mark.parametrize(
    ("settings", "rendered"),
    [
        (
            "id: fs-0123456789abcdef0",
            {"FileSystemId": "fs-0123456789abcdef0", "EncryptionInTransit": True, "IamAuthorization": False},
        ),
        (
            "throughput_mib_s: 100",
            {
                "EncryptionInTransit": True,
                "IamAuthorization": False,
                "Encrypted": True,
                "PerformanceMode": "generalPurpose",
                "ThroughputMode": "provisioned",
                "ProvisionedThroughput": 100,
                "DeletionPolicy": "Retain",
            },
        ),
    ],
)
def test_an_efs_that_exists_keeps_its_settings_and_a_new_one_gets_them(settings: str, rendered: dict[str, Any]):
    assert storage(f"efs: {{{settings}}}")["EfsSettings"] == rendered


@pytest.mark.parametrize(
    ("file_system", "key"),
    [
        ("ebs: {size_gib: 200}", KEY),
        ("ebs: {size_gib: 200, encrypted: false}", None),
        ("ebs: {id: vol-0123456789abcdef0}", None),
        ("efs: {}", KEY),
        ("efs: {id: fs-0123456789abcdef0}", None),
    ],
)
def test_the_key_encrypts_what_is_made_and_encrypted(file_system: str, key: str | None):
    (settings,) = storage(file_system, f'iam: {{kms_key: "{KEY}"}}').values()
    assert settings.get("KmsKeyId") == key


def test_logs_that_are_off_say_nothing_of_how_long_they_are_kept():
    assert cluster("monitoring: {logs: false}")["Monitoring"]["Logs"]["CloudWatch"] == {"Enabled": False}


def test_logs_outlive_the_cluster_unless_they_are_not_to():
    def kept(part: str) -> str:
        policy: str = cluster(part)["Monitoring"]["Logs"]["CloudWatch"]["DeletionPolicy"]
        return policy

    assert (kept(""), kept("monitoring: {keep_logs: false}")) == ("Retain", "Delete")


def test_users_come_from_a_directory_with_several_servers():
    part = """\
access:
  directory_service:
    domain: example.com
    addresses: ["ldaps://a.example.com", "ldaps://b.example.com"]
    read_only_user: cn=reader,dc=example,dc=com
    password_secret: "arn:aws:secretsmanager:us-east-2:123456789012:secret:s-AbCdEf"
"""
    assert cluster(part)["DirectoryService"] == {
        "DomainName": "example.com",
        "DomainAddr": "ldaps://a.example.com,ldaps://b.example.com",
        "PasswordSecretArn": "arn:aws:secretsmanager:us-east-2:123456789012:secret:s-AbCdEf",
        "DomainReadOnlyUser": "cn=reader,dc=example,dc=com",
        "LdapTlsReqCert": "hard",
        "GenerateSshKeysForUsers": True,
    }
