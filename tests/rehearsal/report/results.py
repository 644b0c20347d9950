"""Results of rehearsals, in the shape of rehearsal.json, for tests of the report."""

from __future__ import annotations

from typing import Any

from trainyard.architectures import find_architecture
from trainyard.rehearsal.report.conditions import only_aws_can_tell, proved_claims
from trainyard.render.diagram.architecture import architecture_svg
from trainyard.spec.parsing import parse

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>&\"'\u202e\x00]]>"

_STEPS = {
    "bucket": "Bucket for what nodes fetch", "release": "Release of what nodes install", "network": "Network stack",
    "storage": "Storage stack", "monitoring": "Monitoring stack", "assets": "Assets stack", "cluster": "Cluster",
    "static-nodes": "Static nodes of the reservation",
}  # fmt: skip
_TYPES = (
    "AWS::EC2::VPC", "AWS::EC2::Subnet", "AWS::EC2::RouteTable", "AWS::EC2::SecurityGroup", "AWS::IAM::Role",
    "AWS::FSx::FileSystem", "AWS::FSx::DataRepositoryAssociation", "AWS::APS::Workspace", "AWS::Grafana::Workspace",
    "AWS::EC2::LaunchTemplate", "AWS::CloudWatch::Alarm", "AWS::Lambda::Function",
)  # fmt: skip
_SIZES = {"network": 34, "storage": 5, "monitoring": 9, "assets": 2, "cluster": 61}


def good() -> dict[str, Any]:
    """Return the result of a rehearsal in which everything went well."""
    spec = parse(find_architecture("p5-observability").text, "cluster.yaml").spec
    steps = _steps()
    stacks = _stacks(spec.name, steps)
    return {
        "schema": 1, "ok": True, "name": spec.name, "region": spec.region,
        "parallelcluster_version": "3.16.1", "trainyard_version": "0.1.0",
        "started": "2026-11-21T08:30:00+00:00", "seconds": steps[-1]["started_s"] + 1,
        "steps": steps, "stacks": stacks,
        "resources": [resource for stack in stacks for resource in stack["resources"]],
        "calls": {"cloudformation:DescribeStacks": 214, "ec2:DescribeSubnets": 12, "s3:PutObject": 17},
        "inventory": {"before": 132, "after": 132, "left": []},
        "findings": [
            {"id": "gpu-health-check-slow", "severity": "warning", "message": "the check takes minutes",
             "remedy": "switch it off", "source": "https://example.com/source", "file": "cluster.yaml", "line": 34,
             "column": 5, "path": "queues[0].gpu_health_check"},
        ],
        "proved": proved_claims(spec, ("checked", "deployed", "destroyed")),
        "only_aws_can_tell": only_aws_can_tell(spec),
        "diagram": architecture_svg(spec),
    }  # fmt: skip


def failed() -> dict[str, Any]:
    """Return the result of a rehearsal in which a stack could not be made."""
    result = good()
    at = next(position for position, step in enumerate(result["steps"]) if step["name"] == "storage")
    error = {"problem": "FSx refused 1300 GiB", "where": "file_systems[0]", "hint": "use 1200 or 2400"}
    result["steps"][at] |= {"status": "failed", "error": error}
    result["steps"][at + 1 :] = []
    result["stacks"] = result["stacks"][:2]
    result["stacks"][1]["status"] = "CREATE_FAILED"
    result["stacks"][1]["resources"][0] |= {"status": "CREATE_FAILED", "reason": "storage capacity is not offered"}
    result["inventory"] = {"before": 132, "after": 134, "left": ["ec2:vpc:vpc-0123456789abcdef0", "s3:bucket:mine"]}
    return result | {"ok": False, "proved": [], "findings": []}


def hostile() -> dict[str, Any]:
    """Return a result of which every text tries to become something else."""
    result: dict[str, Any] = _hostile(good())
    return result | {"schema": 1, "diagram": f"<svg xmlns='http://www.w3.org/2000/svg'>{EVIL_DRAWING}</svg>"}


EVIL_DRAWING = (
    "<script>alert(3)</script><style>@import url(https://evil.example/a.css);</style>"
    "<image href='https://evil.example/b.png'/><a href='javascript:alert(4)'><text x='9' y='9'>link</text></a>"
    "<rect width='5' height='5' onclick='alert(5)' style='fill:url(https://evil.example/c)'/>"
    "<foreignObject><iframe src='https://evil.example/d'/></foreignObject><text x='9' y='40'>drawn</text>"
)


def _hostile(value: Any) -> Any:
    if isinstance(value, dict):
        kept = {"status", "action", "severity"}
        return {key: one if key in kept else _hostile(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_hostile(one) for one in value]
    return f"{value}{HOSTILE}" if isinstance(value, str) else value


def _steps() -> list[dict[str, Any]]:
    names = list(_STEPS)
    moves = [(name, "apply") for name in names] + [(name, "undo") for name in reversed(names)]
    steps: list[dict[str, Any]] = []
    at = 0.4
    for position, (name, action) in enumerate(moves):
        took = 9.3 if name == "cluster" and action == "apply" else 0.6 + position % 4
        skipped = name == "static-nodes"
        steps.append({
            "name": name, "title": _STEPS[name], "action": action, "status": "skipped" if skipped else "done",
            "started_s": round(at, 2), "seconds": 0.02 if skipped else took, "detail": "", "error": None,
        })  # fmt: skip
        at += steps[-1]["seconds"] + 0.1
    return steps


def _stacks(cluster: str, steps: list[dict[str, Any]]) -> list[dict[str, Any]]:
    starts = {step["name"]: step for step in reversed(steps) if step["action"] == "apply"}
    return [
        {
            "name": cluster if kind == "cluster" else f"{cluster}-{kind}",
            "status": "DELETE_COMPLETE",
            "kept": kind == "storage",
            "resources": [_resource(kind, number, starts[kind], size) for number in range(size)],
        }
        for kind, size in _SIZES.items()
    ]


def _resource(kind: str, number: int, step: dict[str, Any], size: int) -> dict[str, Any]:
    share = step["seconds"] / size
    return {
        "logical_id": f"{kind.capitalize()}Thing{number:02}", "type": _TYPES[number % len(_TYPES)],
        "physical_id": f"thing-0123456789abcde{number:02}", "status": "CREATE_COMPLETE",
        "started_s": round(step["started_s"] + number * share * 0.7, 2),
        "seconds": round(share * (1 + number % 5), 2), "reason": None,
    }  # fmt: skip
