"""FSx: file systems, volumes and data-repository associations as they really look; moto's are bare names.

https://docs.aws.amazon.com/fsx/latest/APIReference/Welcome.html
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from moto.core.exceptions import JsonRESTError
from moto.fsx.models import fsx_backends
from moto.fsx.responses import FSxResponse
from moto.s3.models import s3_backends

from trainyard.rehearsal.emulated.actions import add
from trainyard.rehearsal.emulated.fsx_file_system import EmulatedFileSystem, made_up_id

_VOLUMES: dict[tuple[str, str], dict[str, dict[str, Any]]] = {}
_ASSOCIATIONS: dict[tuple[str, str], dict[str, dict[str, Any]]] = {}


def install() -> None:
    """Replace what moto answers, and add the rest."""
    add(
        FSxResponse,
        create_file_system,
        describe_file_systems,
        update_file_system,
        delete_file_system,
        create_volume,
        describe_volumes,
        delete_volume,
        create_data_repository_association,
        update_data_repository_association,
        describe_data_repository_associations,
        delete_data_repository_association,
        describe_file_caches,
        describe_storage_virtual_machines,
    )


def inventory(account_id: str, region: str) -> dict[str, list[str]]:
    """Return what exists."""
    return {
        "FSx file systems": list(fsx_backends[account_id][region].file_systems),
        "FSx volumes": list(_VOLUMES.get((account_id, region), {})),
        "FSx data repository associations": list(_ASSOCIATIONS.get((account_id, region), {})),
    }


def make_file_system(
    account_id: str, region: str, request: Mapping[str, Any], name: str = "", root_volume: str = ""
) -> EmulatedFileSystem:
    """Make a file system, and its root volume where its type has one. Ids are made up where none are given."""
    file_system = EmulatedFileSystem(account_id, region, request, name or made_up_id("fs"))
    fsx_backends[account_id][region].file_systems[file_system.file_system_id] = file_system  # type: ignore[assignment]  # in its place
    if file_system.kind == "OPENZFS":
        root = make_volume(account_id, region, {"FileSystemId": file_system.file_system_id, "Name": "fsx"}, root_volume)
        file_system.described["OpenZFSConfiguration"]["RootVolumeId"] = root["VolumeId"]
    return file_system


def make_volume(account_id: str, region: str, request: Mapping[str, Any], name: str = "") -> dict[str, Any]:
    """Make a volume of an OpenZFS file system."""
    volume = name or made_up_id("fsvol")
    path = "/fsx" if request["Name"] == "fsx" else f"/fsx/{request['Name']}"
    _VOLUMES.setdefault((account_id, region), {})[volume] = new_volume = {
        "VolumeId": volume,
        "VolumeType": "OPENZFS",
        "FileSystemId": request["FileSystemId"],
        "Name": request["Name"],
        "Lifecycle": "AVAILABLE",
        "ResourceARN": f"arn:aws:fsx:{region}:{account_id}:volume/{request['FileSystemId']}/{volume}",
        "OpenZFSConfiguration": {"VolumePath": path, **request.get("OpenZFSConfiguration", {})},
    }
    return new_volume


def create_file_system(self: Any) -> str:
    """Answer CreateFileSystem."""
    request = json.loads(self.body)
    file_system = make_file_system(self.current_account, self.region, request)
    self.fsx_backend.tag_resource(
        file_system.resource_arn, {tag["Key"]: tag["Value"] for tag in request.get("Tags") or []}
    )
    return json.dumps({"FileSystem": file_system.to_dict()})


def describe_file_systems(self: Any) -> str:
    """Answer DescribeFileSystems."""
    every = self.fsx_backend.file_systems
    file_systems = _those(every, json.loads(self.body).get("FileSystemIds"), "FileSystemNotFound", "File system")
    return json.dumps({"FileSystems": [file_system.to_dict() for file_system in file_systems]}, default=str)


def update_file_system(self: Any) -> str:
    """Answer UpdateFileSystem: the new values hold at once, and a size is none below the former.

    https://docs.aws.amazon.com/fsx/latest/APIReference/API_UpdateFileSystem.html
    """
    request = json.loads(self.body)
    file_system = _file_system(self, request["FileSystemId"])
    has_gib = file_system.described["StorageCapacity"] or 0  # none where storage is by use
    if (asked_gib := request.get("StorageCapacity") or has_gib) < has_gib:
        raise _refusal("BadRequest", f"StorageCapacity {asked_gib} is below {has_gib}, that of the file system")
    file_system.change(request)
    return json.dumps({"FileSystem": file_system.to_dict()}, default=str)


def delete_file_system(self: Any) -> str:
    """Answer DeleteFileSystem. What is part of the file system goes with it."""
    name = json.loads(self.body)["FileSystemId"]
    file_system = _file_system(self, name)
    for part in (_VOLUMES, _ASSOCIATIONS):
        parts = part.get(_key(self), {})
        for part_name in [volume_name for volume_name, described in parts.items() if described["FileSystemId"] == name]:
            del parts[part_name]
    file_system.release()
    del self.fsx_backend.file_systems[name]
    return json.dumps({"FileSystemId": name, "Lifecycle": "DELETING"})


def create_volume(self: Any) -> str:
    """Answer CreateVolume, for OpenZFS."""
    request = json.loads(self.body)
    parent = _those(
        _VOLUMES.get(_key(self), {}), [request["OpenZFSConfiguration"]["ParentVolumeId"]], "VolumeNotFound", "Volume"
    )[0]
    volume = make_volume(self.current_account, self.region, {**request, "FileSystemId": parent["FileSystemId"]})
    return json.dumps({"Volume": volume})


def describe_volumes(self: Any) -> str:
    """Answer DescribeVolumes."""
    volumes = _those(_VOLUMES.get(_key(self), {}), json.loads(self.body).get("VolumeIds"), "VolumeNotFound", "Volume")
    return json.dumps({"Volumes": volumes})


def delete_volume(self: Any) -> str:
    """Answer DeleteVolume."""
    name = json.loads(self.body)["VolumeId"]
    _those(_VOLUMES.get(_key(self), {}), [name], "VolumeNotFound", "Volume")
    del _VOLUMES[_key(self)][name]
    return json.dumps({"VolumeId": name, "Lifecycle": "DELETING"})


def create_data_repository_association(self: Any) -> str:
    """Answer CreateDataRepositoryAssociation. FSx looks for the bucket, and so does this."""
    request = json.loads(self.body)
    _file_system(self, request["FileSystemId"])
    bucket = request["DataRepositoryPath"].removeprefix("s3://").partition("/")[0]
    if bucket not in s3_backends[self.current_account]["aws"].buckets:
        raise _refusal("BadRequest", f"Unable to access the S3 bucket {bucket}: it does not exist.")
    _refuse_overlap(_ASSOCIATIONS.get(_key(self), {}).values(), request)
    name = made_up_id("dra")
    _ASSOCIATIONS.setdefault(_key(self), {})[name] = association = {
        "AssociationId": name,
        "ResourceARN": f"arn:aws:fsx:{self.region}:{self.current_account}:association/{request['FileSystemId']}/{name}",
        "Lifecycle": "AVAILABLE",
        **{key: value for key, value in request.items() if key not in {"ClientRequestToken", "Tags"}},
    }
    self.fsx_backend.tag_resource(
        association["ResourceARN"], {tag["Key"]: tag["Value"] for tag in request.get("Tags") or []}
    )
    return json.dumps({"Association": association})


def update_data_repository_association(self: Any) -> str:
    """Answer UpdateDataRepositoryAssociation: the new policies hold at once."""
    request = json.loads(self.body)
    associations = _ASSOCIATIONS.get(_key(self), {})
    _those(associations, [request["AssociationId"]], "DataRepositoryAssociationNotFound", "Association")
    association = associations[request["AssociationId"]]
    association.update({key: request[key] for key in ("ImportedFileChunkSize", "S3") if key in request})
    return json.dumps({"Association": association})


def _refuse_overlap(associations: Iterable[Mapping[str, Any]], request: Mapping[str, Any]) -> None:
    """Refuse a directory or a bucket that the file system is linked with already.

    https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateDataRepositoryAssociation.html
    """
    for association in associations:
        if association["FileSystemId"] == request["FileSystemId"]:
            for key in ("FileSystemPath", "DataRepositoryPath"):
                former, new = (f"{described[key].rstrip('/')}/" for described in (association, request))
                if former.startswith(new) or new.startswith(former):
                    raise _refusal("BadRequest", f"{key} overlaps with that of {association['AssociationId']}.")


def describe_data_repository_associations(self: Any) -> str:
    """Answer DescribeDataRepositoryAssociations."""
    request = json.loads(self.body)
    every = _ASSOCIATIONS.get(_key(self), {})
    associations = _those(every, request.get("AssociationIds"), "DataRepositoryAssociationNotFound", "Association")
    file_systems = {filter_["Name"]: filter_["Values"] for filter_ in request.get("Filters", [])}.get("file-system-id")
    return json.dumps(
        {
            "Associations": [
                association
                for association in associations
                if file_systems is None or association["FileSystemId"] in file_systems
            ]
        }
    )


def delete_data_repository_association(self: Any) -> str:
    """Answer DeleteDataRepositoryAssociation."""
    name = json.loads(self.body)["AssociationId"]
    _those(_ASSOCIATIONS.get(_key(self), {}), [name], "DataRepositoryAssociationNotFound", "Association")
    del _ASSOCIATIONS[_key(self)][name]
    return json.dumps({"AssociationId": name, "Lifecycle": "DELETING"})


def describe_file_caches(self: Any) -> str:
    """Answer DescribeFileCaches: there are none."""
    _those({}, json.loads(self.body).get("FileCacheIds"), "FileCacheNotFound", "File cache")
    return json.dumps({"FileCaches": []})


def describe_storage_virtual_machines(self: Any) -> str:
    """Answer DescribeStorageVirtualMachines: there are none."""
    ids = json.loads(self.body).get("StorageVirtualMachineIds")
    _those({}, ids, "StorageVirtualMachineNotFound", "Storage virtual machine")
    return json.dumps({"StorageVirtualMachines": []})


def _file_system(self: Any, name: str) -> EmulatedFileSystem:
    file_system: EmulatedFileSystem = _those(
        self.fsx_backend.file_systems, [name], "FileSystemNotFound", "File system"
    )[0]
    return file_system


def _those(every: Mapping[str, Any], ids: Iterable[str] | None, code: str, what: str) -> list[Any]:
    """Return what has these ids, or everything. Raises the service's own error for the first that does not exist."""
    names = list(ids or ())
    missing = [name for name in names if name not in every]
    if missing:
        raise _refusal(code, f"{what} '{missing[0]}' does not exist.")
    return [every[name] for name in names or every]


def _key(self: Any) -> tuple[str, str]:
    return self.current_account, self.region


def _refusal(code: str, message: str) -> Exception:
    refused: Exception = JsonRESTError(code, message)
    return refused
