"""The monitoring instance of an emulated account: what it would do with a release, without running anything.

A real one looks at the pointer every five minutes, installs Prometheus, Alertmanager and Grafana, and reports. Here it
looks as soon as the pointer changes, and reports that all steps are done where the release and its assets are there as
the instance would need them.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import tarfile
from collections.abc import Mapping
from typing import Any

from botocore.exceptions import ClientError

from trainyard.rehearsal.emulated.faults import FAULTS
from trainyard.rehearsal.emulated.resource import Aws

POINTER = re.compile(r"trainyard/(?P<name>[A-Za-z0-9-]+)/release")
_POINTED = re.compile(rb"([0-9a-f]{64})  ([A-Za-z0-9._-]+)\n")


def follow(aws: Aws, bucket: str, name: str, pointer: bytes) -> None:
    """Let the instance of a cluster or an environment run what its pointer names, where it has one."""
    instance, pointed = _instance(aws, name), _POINTED.fullmatch(pointer)
    if instance is None or pointed is None or not FAULTS.monitoring_instance_reports:
        return
    folder = f"trainyard/{name}"
    problem = _problem(aws, instance, bucket, folder, pointed)
    record = {
        "schema": 1, "cluster": name, "instance_id": instance["InstanceId"], "instance_type": instance["InstanceType"],
        "role": "monitoring", "queue": "", "hostname": instance["PrivateDnsName"], "release": pointed[1].decode(),
        "status": "failed" if problem else "ready", "message": problem, "steps": [],
    }  # fmt: skip
    body = json.dumps(record).encode()
    arn = f"arn:aws:ec2:{aws.region}:{aws.account_id}:instance/{instance['InstanceId']}"
    aws.client("s3").put_object(Bucket=bucket, Key=f"{folder}/nodes/{arn}.json", Body=body)


def _instance(aws: Aws, name: str) -> Mapping[str, Any] | None:
    """Return it: the stack gives it this name."""
    filters = [
        {"Name": "tag:Name", "Values": [f"{name}-monitoring"]},
        {"Name": "instance-state-name", "Values": ["running"]},
    ]
    reservations = aws.client("ec2").describe_instances(Filters=filters)["Reservations"]
    return next((instance for reservation in reservations for instance in reservation["Instances"]), None)


def _problem(aws: Aws, instance: Mapping[str, Any], bucket: str, folder: str, pointed: re.Match[bytes]) -> str:
    """Return why the instance could not carry the release out; empty where it could."""
    digest, file = (group.decode() for group in pointed.groups())
    try:
        content = aws.client("s3").get_object(Bucket=bucket, Key=f"{folder}/releases/{file}")["Body"].read()
        if hashlib.sha256(content).hexdigest() != digest:
            return f"{file} is not what was published"
        files = _files(content)
        plan = json.loads(files["plan.json"])["nodes"]["monitoring"]
        missing = [step["script"] for step in plan["steps"] if step["script"] not in files]
        _attach(aws, instance, plan["settings"]["TRAINYARD_DATA_VOLUME"])
        return f"the release lacks {', '.join(missing)}" if missing else _missing_asset(aws, bucket, folder, files)
    except (ClientError, tarfile.TarError, LookupError, ValueError) as error:
        return f"the release cannot be carried out: {error!r}"[:300]


def _attach(aws: Aws, instance: Mapping[str, Any], volume: str) -> None:
    """Attach the volume with the data where the instance has none yet. Raises ClientError where EC2 refuses."""
    attached = {mapping["DeviceName"]: mapping["Ebs"]["VolumeId"] for mapping in instance["BlockDeviceMappings"]}
    if volume not in attached.values():
        device = next(device for device in ("/dev/sdf", "/dev/sdg", "/dev/sdh") if device not in attached)
        aws.client("ec2").attach_volume(VolumeId=volume, InstanceId=instance["InstanceId"], Device=device)


def _missing_asset(aws: Aws, bucket: str, folder: str, files: Mapping[str, bytes]) -> str:
    locked = {asset["name"]: asset for asset in json.loads(files["assets.lock.json"])["assets"]}
    for name in ("prometheus", "alertmanager", "grafana"):
        if name not in locked:
            return f"{name} is not locked"
        key = f"{folder}/assets/{locked[name]['sha256']}/{locked[name]['file']}"
        if aws.client("s3").head_object(Bucket=bucket, Key=key)["ContentLength"] != locked[name]["size_bytes"]:
            return f"{key} is damaged"
    return ""


def _files(content: bytes) -> dict[str, bytes]:
    with tarfile.open(fileobj=io.BytesIO(content), mode="r:") as archive:
        opened = ((member.name, archive.extractfile(member)) for member in archive if member.isfile())
        return {name: file.read() for name, file in opened if file is not None}
