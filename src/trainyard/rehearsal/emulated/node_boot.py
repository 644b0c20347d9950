"""How the nodes of an emulated cluster come up, or do not, and what they write of it."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from botocore.exceptions import ClientError

from trainyard.rehearsal.emulated.breakdown import Breakdown, breakdown_at, planned_breakdown, shared_lines
from trainyard.rehearsal.emulated.node_logs import LoggingNode, NodeLogs
from trainyard.rehearsal.emulated.resource import Aws, ResourceError
from trainyard.rehearsal.emulated.static_nodes import SlurmCluster, static_nodes, terminate_compute_nodes

_SCRIPT = "s3://example-bucket/setup.sh"
_FILE_SYSTEM = "fs-0123456789abcdef0"
_MOUNT = "fsxmount"


class NodeBoot:
    """What happens from the first boot of a head node on, once its static nodes were asked for."""

    def __init__(self, aws: Aws, cluster: SlurmCluster, head: Mapping[str, Any]) -> None:
        """Look at what runs."""
        self._aws, self._cluster, self._head = aws, cluster, head
        self._nodes = list(static_nodes(aws, cluster))
        running = [_logging(node, name) for name, node in self._nodes if node is not None]
        self._logs = NodeLogs(aws, cluster.log_group, _logging(head), running, self._values())

    def begin(self) -> None:
        """Write what is written whatever happens."""
        breakdown = planned_breakdown()
        silent = breakdown is not None and breakdown.silent
        self._logs.write(line for line in shared_lines("healthy") if not (silent and line["by"] == "compute"))

    def refused(self, error: ClientError) -> None:
        """Write that EC2 did not launch the static nodes: the head node goes on waiting for them."""
        error_body = error.response["Error"]
        breakdown = planned_breakdown()
        values = {
            "code": error_body["Code"],
            "message": error_body["Message"],
            "failure": (breakdown and breakdown.failure) or "other-failures",
        }
        self._with(values).write(shared_lines("launch_refused"))

    def fail_head_node(self) -> None:
        """Raise ResourceError with what the head node signals, where it is to fail."""
        if (breakdown := breakdown_at("head")) is not None:
            self._tell(breakdown, *breakdown.lines, *shared_lines(breakdown.then))
            raise self._signal(breakdown)

    def fail_nodes(self, *, being_made: bool) -> bool:
        """Let the static nodes fail, where they are to; return whether they did. The fleet is protected then.

        Raises ResourceError with what the head node signals, where its stack is still being made.
        """
        breakdown = breakdown_at("nodes")
        if breakdown is None or not self._logs.compute:
            return False
        common = [line for line in shared_lines("nodes_failed") if not (breakdown.silent and line["by"] == "compute")]
        self._tell(breakdown, *breakdown.lines, *common, *(shared_lines(breakdown.then) if being_made else ()))
        terminate_compute_nodes(self._aws, self._cluster.name)
        return True

    def signal_of_nodes(self) -> ResourceError:
        """Return what the head node signals when its static nodes failed."""
        breakdown = breakdown_at("nodes")
        assert breakdown is not None  # noqa: S101  # fail_nodes said so
        return self._signal(breakdown)

    def come_up(self) -> None:
        """Write what nodes write that the head node has started later, and what it writes of them."""
        about = (*shared_lines("healthy"), *shared_lines("all_well"))
        self._logs.write(line for line in about if line["by"] == "compute" or line["log"] == "slurm_resume")

    def end_well(self) -> None:
        """Write that all is up."""
        self._logs.write(shared_lines("all_well"))

    def _tell(self, breakdown: Breakdown, *entries: Mapping[str, Any]) -> None:
        self._with({"signal": breakdown.signal, "action": breakdown.action}).write(entries)

    def _signal(self, breakdown: Breakdown) -> ResourceError:
        """Return what CloudFormation makes of a signal; the id is that of the instance by default.

        https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cfn-signal.html
        """
        reason = self._logs.filled(breakdown.signal)
        return ResourceError(
            f"WaitCondition received failed message: '{reason}' for uniqueId: {self._head['InstanceId']}"
        )

    def _with(self, values: Mapping[str, str]) -> NodeLogs:
        logs = self._logs
        return NodeLogs(logs.aws, logs.group, logs.head, logs.compute, {**logs.values, **values})

    def _values(self) -> dict[str, str]:
        names = [name for name, _ in self._nodes]
        queue, resource = next(self._static(), ("", ""))
        return {
            "cluster": self._cluster.name,
            "region": self._aws.region,
            "head": _logging(self._head).host,
            "head_id": self._head["InstanceId"],
            "head_ip": self._head["PrivateIpAddress"],
            "first": next(iter(names), ""),
            "count": str(len(names)),
            "nodes": repr(names),
            "queue": queue,
            "resource": resource,
            "request": str(uuid.uuid4()),
            **_named(self._cluster.config),
        }

    def _static(self) -> Iterator[tuple[str, str]]:
        for queue in self._cluster.config["Scheduling"]["SlurmQueues"]:
            for resource in queue["ComputeResources"]:
                if resource.get("MinCount"):
                    yield queue["Name"], resource["Name"]


def _logging(instance: Mapping[str, Any], name: str = "") -> LoggingNode:
    host = instance["PrivateDnsName"].partition(".")[0]
    return LoggingNode(host, instance["InstanceId"], instance["PrivateIpAddress"], name)


def _named(config: Mapping[str, Any]) -> dict[str, str]:
    """Return what messages name of the configuration; something made up where it has none."""
    lustre = [lustre_settings.get("FsxLustreSettings") or {} for lustre_settings in config.get("SharedStorage") or ()]
    script = (config["HeadNode"].get("CustomActions") or {}).get("OnNodeConfigured") or {}
    scripts: Sequence[Mapping[str, str]] = script.get("Sequence") or [script]
    return {
        "file_system": next(
            (lustre_settings["FileSystemId"] for lustre_settings in lustre if lustre_settings.get("FileSystemId")),
            _FILE_SYSTEM,
        ),
        "mount": _MOUNT,
        "script": scripts[0].get("Script", _SCRIPT),
    }
