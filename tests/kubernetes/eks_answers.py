"""Answers of EKS that the emulated account has none for: add-ons, access entries and roles of workloads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from tests.kubernetes.fake_eksctl import FakeEksctl


class _Response(NamedTuple):
    status_code: int = 200


def answer_for(eksctl: FakeEksctl) -> None:
    """Let the account's client of EKS say what eksctl has made."""
    events = eksctl.account.client("eks").meta.events

    def put(operation: str, made: Callable[[str], Mapping[str, Any]]) -> None:
        def answer(params: Mapping[str, Any], **_: Any) -> tuple[_Response, dict[str, Any]]:
            return _Response(), {**made(params["url_path"]), "ResponseMetadata": {"HTTPStatusCode": 200}}

        events.register(f"before-call.eks.{operation}", answer)

    put("ListAddons", lambda _: {"addons": sorted(eksctl.addons)})
    put("DescribeAddon", lambda path: {"addon": _addon(eksctl, path.rpartition("/")[2])})
    put("ListAccessEntries", lambda _: {"accessEntries": eksctl.entries})
    put("ListPodIdentityAssociations", lambda _: {"associations": [_association(one) for one in eksctl.identities]})


def _addon(eksctl: FakeEksctl, name: str) -> dict[str, Any]:
    made = eksctl.addons[name]
    return {
        "addonName": name,
        "addonVersion": made.get("version", "v1.0.0-eksbuild.1"),
        "status": "ACTIVE",
        "configurationValues": made.get("configurationValues", ""),
    }


def _association(made: Mapping[str, Any]) -> dict[str, Any]:
    return {"namespace": made["namespace"], "serviceAccount": made["serviceAccountName"]}
