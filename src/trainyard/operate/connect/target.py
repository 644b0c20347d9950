"""An instance that people can get to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from trainyard.errors import TrainyardError

HEAD = "head"
ROLES = {HEAD: "HeadNode", "login": "LoginNode", "monitoring": "Monitoring"}
"""Words for nodes of which there is one, or where any will do, and the roles that they mean."""
UNKNOWN = "unknown"


class Target(NamedTuple):
    """An instance that people can get to."""

    cluster: str
    instance: str
    role: str
    """HeadNode, LoginNode, Compute, Monitoring, Batch or Kubernetes; unknown where nothing says so."""
    state: str
    os: str | None
    """As a ParallelCluster config names it; None where no tag says so."""
    private_address: str | None
    public_address: str | None
    key_pair: str | None
    host: str
    """What it calls itself."""
    launched: str

    @property
    def words(self) -> str:
        """Return what it is, for people."""
        names = {"HeadNode": "head node", "LoginNode": "login node", "Compute": "compute node"}
        names |= {"Monitoring": "monitoring instance", "Batch": "instance", "Kubernetes": "node"}
        return f"the {names[self.role]} {self.instance} of {self.cluster}" if self.role in names else self.instance


def require_running(target: Target, region: str) -> Target:
    """Return the instance. Raises TrainyardError where it does not run."""
    if target.state != "running":
        starting = f"`aws ec2 start-instances --region {region} --instance-ids {target.instance}` starts it"
        status = f"`trainyard status {target.cluster} --region {region}` says how the cluster is"
        hint = starting if target.state == "stopped" and target.role != "Compute" else status
        raise TrainyardError(f"{target.words} is {target.state}", where=target.cluster, hint=hint)
    return target


def target_of(cluster: str, described: Mapping[str, Any]) -> Target:
    """Return an instance as EC2 describes it."""
    tags = {tag["Key"]: tag["Value"] for tag in described.get("Tags", ())}
    # "{BaseOS}, {Scheduler}, {Version}, {Architecture}": pcluster/templates/cdk_builder_utils.py
    os = tags.get("parallelcluster:attributes", "").partition(",")[0].strip()
    return Target(
        cluster,
        described["InstanceId"],
        tags.get("parallelcluster:node-type", UNKNOWN),
        described["State"]["Name"],
        os or None,
        described.get("PrivateIpAddress"),
        described.get("PublicIpAddress") or None,
        described.get("KeyName"),
        described.get("PrivateDnsName", "").partition(".")[0],
        described["LaunchTime"].isoformat() if "LaunchTime" in described else "",
    )
