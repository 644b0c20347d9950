"""The parameters of storage.yaml."""

from __future__ import annotations

from typing import TypeVar

from trainyard.errors import TrainyardError
from trainyard.render.networking import one_subnet
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec
from trainyard.spec.file_system import Lustre, OpenZfs

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


def _lustre(lustre: Lustre) -> dict[str, str]:
    throughput = lustre.throughput_mb_s_per_tib
    return {
        "Capacity": str(lustre.size_gib),
        "PerUnitStorageThroughput": "" if throughput is None else str(throughput),
        "Compression": lustre.compression,
        "LustreVersion": lustre.version,
        "LustreDeploymentType": lustre.deployment,
        "LustreBackupDays": str(lustre.backup_days),
        "DataRepository": lustre.data_repository or "",
        "DataPath": lustre.data_path,
        "AutoImport": ",".join(lustre.auto_import),
        "AutoExport": ",".join(lustre.auto_export),
    }


def _openzfs(openzfs: OpenZfs) -> dict[str, str]:
    throughput = openzfs.throughput_mb_s or _LEAST_THROUGHPUT_MB_S[openzfs.deployment]
    return {
        "OpenZFSCapacity": str(openzfs.size_gib),
        "OpenZFSThroughput": str(throughput),
        "OpenZFSDeploymentType": openzfs.deployment,
    }
