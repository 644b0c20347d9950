"""What somebody else has changed since the last deployment: value by value."""

from __future__ import annotations

from typing import Any

from tests.each_case import each_case
from trainyard.deploy.drift import DriftDifference, differences


def queue(name: str, most: int, **more: Any) -> dict[str, Any]:
    return {"Name": name, "ComputeResources": [{"Name": "m5", "MaxCount": most}], **more}


def config(*queues: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"Scheduling": {"SlurmQueues": list(queues)}, **more}


@each_case(
    ("current", "lines"),
    [
        (config(queue("b", 2), queue("a", 4)), []),
        (
            config(queue("a", 8), queue("b", 2)),
            ["c: Scheduling.SlurmQueues[a].ComputeResources[m5].MaxCount: 4 -> 8"],
        ),
        (config(queue("a", 4)), ["c: Scheduling.SlurmQueues[b] is gone: b"]),
        (config(queue("a", 4), queue("b", 2), queue("x", 1)), ["c: Scheduling.SlurmQueues[x] is new: x"]),
        (
            config(queue("a", 4, Iam=[1, 2]), queue("b", 2), Tags=[{"Key": "k", "Value": "v"}]),
            ['c: Scheduling.SlurmQueues[a].Iam is new: "[1, 2]"', "c: Tags is new: \"[{'Key': 'k', 'Value': 'v'}]\""],
        ),
        ({}, [f'c: Scheduling is gone: "{str(config(queue("a", 4), queue("b", 2))["Scheduling"])[:99]}…"']),
        (
            config(queue("a", 4), queue("b", 2), **{"run this": "curl x | sudo bash\n"}),
            ['c: "run this" is new: "curl x | sudo bash"'],
        ),
    ],
    ["order", "value", "gone", "new member", "new values", "all gone", "words of others"],
)
def test_each_value_is_told_at_its_place(current: dict[str, Any], lines: list[str]):
    assert [str(difference) for difference in differences("c", config(queue("a", 4), queue("b", 2)), current)] == lines


def test_places_overlap_where_one_is_inside_the_other():
    changed = DriftDifference("c", ("Queues[a]", "MaxCount"), 4, 8)
    assert changed.overlaps(DriftDifference("c", ("Queues[a]",), {}, None))
    assert DriftDifference("c", ("Queues[a]",), {}, None).overlaps(changed)
    assert not changed.overlaps(DriftDifference("c", ("Queues[b]",), {}, None))


SECRETS = ["--password Tr0ub4dor-9x", "ghp_" + "a1B2" * 9, "postgres://u:Tr0ub4dor-9x@db/x", "AKIAIOSFODNN7EXAMPLA"]


@each_case("secret", SECRETS)
def test_no_secret_is_shown_of_what_somebody_wrote(secret: str):
    (difference,) = differences("cluster.yaml", {"Args": ["a"]}, {"Args": ["a", secret]})
    for shown in (str(difference), str(difference.as_json())):
        assert secret.rsplit(maxsplit=1)[-1] not in shown
        assert "cluster.yaml" in shown


def test_a_value_beside_a_telling_name_is_not_shown():
    recorded, current = {"Custom": {"Password": "before-it-2"}}, {"Custom": {"Password": "Tr0ub4dor-9x", "Port": "22"}}
    shown = [str(difference) + str(difference.as_json()) for difference in differences("base", recorded, current)]
    whole = DriftDifference("base", ("Custom",), None, current["Custom"])
    for text in (*shown, str(whole), str(whole.as_json())):
        assert "Tr0ub4dor" not in text
        assert "before-it" not in text
    assert "22" in str(whole.as_json())
