"""A configuration of ParallelCluster as a spec that rules can judge, with ParallelCluster's own defaults."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path as FilePath
from typing import Any

import yaml

from trainyard.document.node import Document
from trainyard.platform_parts import ConfigReading, RuleOnConfig
from trainyard.platforms.parallelcluster.reading.draft import Draft
from trainyard.platforms.parallelcluster.reading.nodes import read_nodes
from trainyard.platforms.parallelcluster.reading.storage import read_storage
from trainyard.rules.documents import mapping_at, mapping_in
from trainyard.rules.parallelcluster.config import mappings_in, queues
from trainyard.rules.parallelcluster.placeholders import placeholder_in
from trainyard.spec.nearest import nearest_spec

_RULES = FilePath(__file__).with_name("rules.yaml")
_OF_REGION = frozenset({"outside-region", "outside-partition", "instance-type-unknown"})
_DIRECTORY = {
    "DomainName": "domain", "LdapTlsReqCert": "require_certificate", "LdapTlsCaCert": "ca_certificate",
    "LdapAccessFilter": "access_filter",
}  # fmt: skip
_SECONDS = {
    "KillWait": "kill_wait_s",
    "SlurmdTimeout": "slurmd_timeout_s",
    "UnkillableStepTimeout": "unkillable_step_timeout_s",
}
_IN_CLEAR = "ldap_auth_disable_tls_never_use_in_production"
_POLICY = re.compile(r"arn:aws[a-z-]*:iam::([0-9]{12}|aws):policy/.+")


def spec_of_config(document: Document) -> ConfigReading | None:
    """Return what a configuration says, as a spec; None where it says too little."""
    draft = Draft()
    draft.stand(("name",), "cluster")
    draft.stand(("platform",), "parallelcluster")
    region = document.value.get("Region")
    has_region = isinstance(region, str) and placeholder_in(region) is None
    draft.stand(("region",), region if has_region else "us-east-1")
    _read_sections(draft, document)
    read_nodes(draft, document)
    read_storage(draft, document)
    spec = nearest_spec(draft.data)
    if spec is None:
        return None
    rules = {id_: rule for id_, rule in rules_on_config().items() if has_region or id_ not in _OF_REGION}
    return ConfigReading(spec, draft.places, frozenset(draft.unknown), rules)


@cache
def rules_on_config() -> Mapping[str, RuleOnConfig]:
    """Return the rules about specs that judge configurations of ParallelCluster, by id."""
    content = yaml.load(_RULES.read_bytes(), Loader=yaml.CSafeLoader)
    return {id_: RuleOnConfig(**written) for id_, written in content.items()}


def _read_sections(draft: Draft, document: Document) -> None:
    os = mapping_at(document, "Image").get("Os")
    if isinstance(os, str) and re.fullmatch("[a-z0-9]+", os):
        draft.put(("image", "os"), ("Image", "Os"), os)
    imds = mapping_at(document, "Imds").get("ImdsSupport")
    if imds in ("v1.0", "v2.0"):
        draft.put(("parallelcluster", "imds"), ("Imds", "ImdsSupport"), imds)
    _read_slurm(draft, mapping_at(document, "Scheduling", "SlurmSettings"))
    _read_directory(draft, mapping_at(document, "DirectoryService"))
    _read_policies(draft, document)
    allowed = mapping_at(document, "HeadNode", "Ssh").get("AllowedIps")
    if isinstance(allowed, str) and "/" in allowed:
        draft.put(("access", "allow_from", 0), ("HeadNode", "Ssh", "AllowedIps"), allowed)


def _read_slurm(draft: Draft, settings: Mapping[str, Any]) -> None:
    place = ("Scheduling", "SlurmSettings")
    path = ("parallelcluster", "slurm")
    for where, lines in mappings_in(settings.get("CustomSlurmSettings"), (*place, "CustomSlurmSettings")):
        for key, value in lines.items():
            if not isinstance(value, str | int) or isinstance(value, bool) or placeholder_in(value) is not None:
                continue
            if key in _SECONDS and re.fullmatch("[0-9]{1,9}", str(value)) and int(value) > 0:
                draft.put((*path, _SECONDS[key]), (*where, key), int(value))
            elif re.fullmatch("[A-Za-z][A-Za-z0-9_]*", key):
                draft.put((*path, "settings", key), (*where, key), value)
    if isinstance(minutes := settings.get("ScaledownIdletime"), int):
        draft.put((*path, "scaledown_idle_minutes"), (*place, "ScaledownIdletime"), minutes)
    if isinstance(by_memory := settings.get("EnableMemoryBasedScheduling"), bool):
        draft.put((*path, "memory_scheduling"), (*place, "EnableMemoryBasedScheduling"), by_memory)


def _read_directory(draft: Draft, directory: Mapping[str, Any]) -> None:
    if not directory:
        return
    path, place = ("access", "directory_service"), ("DirectoryService",)
    draft.place(path, place)
    stand_ins = {
        "domain": "example.com",
        "read_only_user": "cn=unknown",
        "password_secret": "arn:aws:secretsmanager:us-east-1:123456789012:secret:unknown",
    }
    for name, value in stand_ins.items():
        draft.stand((*path, name), value)
        draft.unknown.add((*path, name))
    for key, name in _DIRECTORY.items():
        if directory.get(key) is not None:
            draft.unknown.discard((*path, name))
            draft.put((*path, name), (*place, key), directory[key])
    addresses = directory.get("DomainAddr")
    known = isinstance(addresses, str) and placeholder_in(addresses) is None
    for index, written in enumerate(str(addresses).split(",") if known else ["ldaps://unknown"]):
        address = written.strip()
        draft.stand((*path, "addresses", index), address if "://" in address else f"ldap://{address}")
        if known:
            draft.place((*path, "addresses", index), (*place, "DomainAddr"))
    for key, value in mapping_in(directory, "AdditionalSssdConfigs").items():
        text = str(value).lower() if isinstance(value, bool) else str(value)
        draft.put((*path, "sssd", key), (*place, "AdditionalSssdConfigs", key), text)
        if key == _IN_CLEAR and text == "true":
            draft.place((*path, "addresses", 0), (*place, "AdditionalSssdConfigs", key))


def _read_policies(draft: Draft, document: Document) -> None:
    """Add the policies of all nodes, each where it is named first: a spec has them for all kinds alike."""
    pools = mappings_in(mapping_at(document, "LoginNodes").get("Pools"), ("LoginNodes", "Pools"))
    holders = [(("HeadNode",), mapping_at(document, "HeadNode")), *pools, *queues(document)]
    names: list[str] = []
    for holder, written in holders:
        place = (*holder, "Iam", "AdditionalIamPolicies")
        for where, policy in mappings_in(mapping_in(written, "Iam").get("AdditionalIamPolicies"), place):
            arn = policy.get("Policy")
            if isinstance(arn, str) and arn not in names and _POLICY.fullmatch(arn):
                draft.put(("iam", "policies", len(names)), (*where, "Policy"), arn)
                names.append(arn)
