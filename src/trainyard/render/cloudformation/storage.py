"""The parameters of storage.yaml."""

from __future__ import annotations

from hashlib import sha256
from typing import Any, TypeVar

import yaml

from trainyard.document.write import yaml_text
from trainyard.errors import TrainyardError
from trainyard.render.networking import one_subnet
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec
from trainyard.spec.file_system import DEFAULT_DATA_PATH, DataLink, Lustre, OpenZfs

Kind = TypeVar("Kind", Lustre, OpenZfs)

# How many of each kind the template has places for.
MOST_OF_A_KIND = 2
# https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystemOpenZFSConfiguration.html
_LEAST_THROUGHPUT_MB_S = {"SINGLE_AZ_1": 64, "SINGLE_AZ_HA_1": 64, "SINGLE_AZ_2": 160, "SINGLE_AZ_HA_2": 160}


def needs_storage(spec: Spec) -> bool:
    """Return whether any file system of FSx is to be made."""
    return spec.environment is None and bool(_new_file_systems(spec, Lustre) or _new_file_systems(spec, OpenZfs))


def storage_parameters(spec: Spec, ids: Ids) -> dict[str, str]:
    """Return them, as far as the spec decides them."""
    key = {} if spec.iam.kms_key is None else {"KmsKeyArn": spec.iam.kms_key}
    parameters = {
        "SubnetId": one_subnet(spec, "private", ids),
        "FileSystemSecurityGroup": ids.of("FileSystemSecurityGroup"),
        **key,
    }
    for number, lustre in enumerate(_new_file_systems(spec, Lustre), 1):
        parameters |= _numbered(_lustre(lustre), number)
    for number, openzfs in enumerate(_new_file_systems(spec, OpenZfs), 1):
        parameters |= _numbered(_openzfs(openzfs), number)
    return parameters


def _new_file_systems(spec: Spec, kind: type[Kind]) -> list[Kind]:
    of_kind = [file_system.settings for file_system in spec.file_systems if isinstance(file_system.settings, kind)]
    new = [settings for settings in of_kind if settings.id is None]
    if len(new) > MOST_OF_A_KIND:
        raise TrainyardError(
            f"{len(new)} file systems of kind {kind.__name__} are to be made, and their stack takes {MOST_OF_A_KIND}",
            where="file_systems",
            hint="make the others apart from the cluster, and name each by id",
        )
    return new


def _numbered(parameters: dict[str, str], number: int) -> dict[str, str]:
    return parameters if number == 1 else {f"{name}{number}": value for name, value in parameters.items()}


def storage_template(spec: Spec, text: str) -> str:
    """Return the template with the links to S3 that it has no parameters for: of each file system, it knows one.

    A link is called after its directory, so that the others stay where it goes.
    """
    links = {
        f"LustreDataRepository{sha256(f'{number}:{link.directory}'.encode()).hexdigest()[:8]}": _link(link, number)
        for number, lustre in enumerate(_new_file_systems(spec, Lustre), 1)
        for link in lustre.links
        if link != _parameter_link(lustre)
    }
    if not links:
        return text
    template = yaml.load(text, Loader=yaml.CSafeLoader)
    template["Resources"] |= links
    return yaml_text(template)


def _parameter_link(lustre: Lustre) -> DataLink | None:
    """Return the link that parameters tell of: the one that was written as a string, or that at the place of such."""
    if isinstance(lustre.data_repository, str):
        return lustre.links[0]
    return next((link for link in lustre.links if link.directory == DEFAULT_DATA_PATH), None)


def _link(link: DataLink, number: int) -> dict[str, Any]:
    policies = {
        name: {"Events": list(events)}
        for name, events in (("AutoImportPolicy", link.auto_import), ("AutoExportPolicy", link.auto_export))
        if events
    }
    which = "" if number == 1 else str(number)
    properties = {
        "FileSystemId": {"Ref": f"Lustre{which}"},
        "FileSystemPath": link.directory,
        "DataRepositoryPath": link.uri,
        "BatchImportMetaDataOnCreate": True,
        **({"S3": policies} if policies else {}),
    }
    resource = {"Type": "AWS::FSx::DataRepositoryAssociation", "Condition": f"HasLustre{which}"}
    return {**resource, "Properties": properties}


def _lustre(lustre: Lustre) -> dict[str, str]:
    link, tiering = _parameter_link(lustre), lustre.intelligent_tiering
    return {
        "Capacity": _text(lustre.size_gib),
        "PerUnitStorageThroughput": _text(lustre.throughput_mb_s_per_tib),
        "Compression": lustre.compression,
        "LustreVersion": lustre.version,
        "LustreDeploymentType": lustre.deployment,
        "LustreBackupDays": str(lustre.backup_days),
        "LustreEfa": str(lustre.efa).lower(),
        "MetadataIops": _text(lustre.metadata_iops_or_default),
        "TieringThroughput": "" if tiering is None else str(tiering.throughput_mb_s),
        "ReadCacheGiB": "" if tiering is None else _text(tiering.read_cache_gib),
        "DataRepository": "" if link is None else link.uri,
        "DataPath": lustre.data_path if link is None else link.directory,
        "AutoImport": ",".join(lustre.auto_import if link is None else link.auto_import),
        "AutoExport": ",".join(lustre.auto_export if link is None else link.auto_export),
    }


def _text(value: float | str | None) -> str:
    return "" if value is None else str(value)


def _openzfs(openzfs: OpenZfs) -> dict[str, str]:
    throughput = openzfs.throughput_mb_s or _LEAST_THROUGHPUT_MB_S[openzfs.deployment]
    return {
        "OpenZFSCapacity": str(openzfs.size_gib),
        "OpenZFSThroughput": str(throughput),
        "OpenZFSDeploymentType": openzfs.deployment,
    }
