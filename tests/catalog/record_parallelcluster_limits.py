"""Records what the code of several versions of ParallelCluster says about its limits, without importing any of it.

Run with the folders of unpacked packages, each named after its version and holding pcluster/:

    python tests/catalog/record_parallelcluster_limits.py /tmp/pcluster/3.14.2 /tmp/pcluster/3.16.1 …

It overwrites golden/parallelcluster-limits.json. Assignments are evaluated one by one; those that need imports are not.
"""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path
from typing import Any

GOLDEN = Path(__file__).parent / "golden/parallelcluster-limits.json"
PROVENANCE = (
    "aws-parallelcluster of each version from PyPI: constants.py, validators/cluster_validators.py, "
    "validators/ebs_validators.py, validators/slurm_settings_validator.py, schemas/cluster_schema.py, "
    "schemas/common_schema.py and cli/commands/dcv_util.py, read by tests/catalog/record_parallelcluster_limits.py"
)
CONSTANTS = (
    "SUPPORTED_OSES",
    "UNSUPPORTED_OSES_FOR_P6E_GB200",
    "UNSUPPORTED_OSES_FOR_P6_B300",
    "PCLUSTER_NAME_MAX_LENGTH",
    "PCLUSTER_NAME_MAX_LENGTH_SLURM_ACCOUNTING",
    "MAX_NUMBER_OF_QUEUES",
    "MAX_NUMBER_OF_LOGIN_NODE_POOLS",
    "MAX_NUMBER_OF_COMPUTE_RESOURCES_PER_CLUSTER",
    "MAX_COMPUTE_RESOURCES_PER_QUEUE",
    "MIN_SLURM_NODE_PRIORITY",
    "MAX_SLURM_NODE_PRIORITY",
    "MAX_EBS_COUNT",
    "MAX_NEW_STORAGE_COUNT",
    "MAX_EXISTING_STORAGE_COUNT",
    "MAX_TAGS_COUNT",
    "NODE_BOOTSTRAP_TIMEOUT",
    "IAM_NAME_PREFIX_LENGTH_LIMIT",
    "IAM_PATH_LENGTH_LIMIT",
)
LENGTHS = ("NAME_MAX_LENGTH", "SHARED_STORAGE_NAME_MAX_LENGTH", "CLUSTER_NAME_AND_CUSTOM_DOMAIN_NAME_MAX_LENGTH")
FIELDS = (
    "retention_in_days",
    "automatic_backup_retention_days",
    "performance_mode",
    "throughput_mode",
    "provisioned_throughput",
    "number_of_volumes",
    "raid_type",
    "gracetime_period",
)
EBS = ("EBS_VOLUME_TYPE_TO_VOLUME_SIZE_BOUNDS", "EBS_VOLUME_IOPS_BOUNDS", "EBS_VOLUME_TYPE_TO_IOPS_RATIO")


def main() -> None:
    """Write what the packages say that are named on the command line."""
    write({Path(folder).name: limits_in(Path(folder) / "pcluster") for folder in sys.argv[1:]})


def write(recorded: dict[str, Any]) -> None:
    """Write the golden file."""
    lines = ",\n".join(f"    {json.dumps(version)}: {json.dumps(limits)}" for version, limits in recorded.items())
    GOLDEN.write_text(f'{{\n  "provenance": {json.dumps(PROVENANCE)},\n  "versions": {{\n{lines}\n  }}\n}}\n')


def limits_in(package: Path) -> dict[str, Any]:
    """Return everything that is recorded of one version."""
    constants = values_in(package / "constants.py")
    validators = values_in(package / "validators/cluster_validators.py")
    ebs = values_in(package / "validators/ebs_validators.py")
    deny_list = values_in(package / "validators/slurm_settings_validator.py")["SLURM_SETTINGS_DENY_LIST"]
    name_validator = (package / "validators/cluster_validators.py").read_text()
    return {
        **{name: constants.get(name) for name in CONSTANTS},
        **{name: validators[name] for name in LENGTHS},
        **{name: ebs[name] for name in EBS},
        "volume_type": values_in(package / "schemas/common_schema.py", constants)["ALLOWED_VALUES"]["volume_type"],
        "slurmdbd shortens the name": "scheduling.settings.external_slurmdbd is not None" in name_validator,
        "SLURM_SETTINGS_DENY_LIST": deny_list,
        "schema": fields_in(package / "schemas/cluster_schema.py"),
        "dcv": {architecture: dcv_oses(package, constants, architecture) for architecture in ("x86_64", "arm64")},
    }


def values_in(path: Path, imported: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return the values of a module's assignments, except those that need more than what stands above them."""
    known = dict(imported or {})
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Assign):
            try:
                exec(compile(ast.Module([node], []), str(path), "exec"), known)
            except NameError:
                continue
    return known


def fields_in(path: Path) -> dict[str, Any]:
    """Return the choices, or the least and most, of a schema's fields."""
    found: dict[str, Any] = {}
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id in FIELDS:
            for call in ast.walk(node.value):
                if isinstance(call, ast.Call) and ast.unparse(call.func) in {"validate.OneOf", "validate.Range"}:
                    found[node.targets[0].id] = arguments_of(call)
    return found


def arguments_of(call: ast.Call) -> Any:
    """Return the list given to OneOf, or least and most given to Range."""
    if call.args:
        return ast.literal_eval(call.args[0])
    numbers = {word.arg: ast.literal_eval(word.value) for word in call.keywords if word.arg in {"min", "max"}}
    return [numbers["min"], numbers["max"]]


def dcv_oses(package: Path, constants: dict[str, Any], architecture: str) -> Any:
    """Return what the version's own function answers."""
    path = package / "cli/commands/dcv_util.py"
    body: list[ast.stmt] = [
        node for node in ast.parse(path.read_text()).body if isinstance(node, ast.Assign | ast.FunctionDef)
    ]
    known = dict(constants)
    exec(compile(ast.Module(body, []), str(path), "exec"), known)
    return known["get_supported_dcv_os"](architecture)


if __name__ == "__main__":
    main()
