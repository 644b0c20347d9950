"""An entry of the table of platforms: facts that everybody may ask for, and parts that only its own folder has.

Nobody outside `platforms/` compares names of platforms. Whoever needs to know what differs asks for a fact by its name
in the field; whoever needs the platform to do something asks for a part. An entry without a fact or a part does not
type-check. docs/decisions/0013-platforms.md says why, and each fact what AWS PCS and SageMaker HyperPod would answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal

from trainyard.keyword_record import KeywordRecord
from trainyard.platform_parts import (
    BenchSubmission,
    ClusterEvidence,
    ConfigReading,
    FormerFile,
    NodeDiscovery,
    NodeReplacement,
    PlatformAdoption,
    PlatformDeployment,
    PlatformLogs,
    PlatformPicture,
    PlatformPlan,
    PlatformReadme,
    PlatformRehearsal,
    PlatformRendering,
    PlatformReplacement,
    StatusQuery,
    TrainingJobs,
    UnusableKeys,
)

if TYPE_CHECKING:
    from trainyard.catalog.interfaces import InterfaceLayout
    from trainyard.document.node import Document
    from trainyard.edge.aws.account import Account
    from trainyard.finding import Finding
    from trainyard.finding_kinds import Problem
    from trainyard.operate.connect.forwarding import Tunnel, TunnelRequest
    from trainyard.operate.connect.target import Target
    from trainyard.operate.nodes.replacement import ReplacementRequest
    from trainyard.operate.slurm.slurm_state import HeadNode
    from trainyard.operate.status.status_request import StatusRequest
    from trainyard.spec.cluster import Spec
    from trainyard.spec.parsing import ParsedSpec

Scheduler = Literal["slurm", "batch", "kubernetes"]
Maker = Literal["parallelcluster", "cloudformation", "eksctl"]
Capability = Literal[
    "has_slurm",
    "has_kubernetes",
    "has_batch",
    "made_by_parallelcluster",
    "made_by_eksctl",
    "has_head_node",
    "nodes_run_release",
    "mounts_scratch",
    "can_host_monitoring",
]
"""Facts that are true or false, by which kinds of findings say where they apply."""


class Platform(KeywordRecord):
    """One platform, or an environment, which is deployed by the same commands and has no nodes for jobs."""

    name: str
    """What a spec calls it."""
    title: str
    """What AWS calls it."""
    scheduler: Scheduler | None
    """Who gives jobs to nodes; None where there are none. PCS: slurm. HyperPod: slurm or kubernetes."""
    made_by: Maker
    """The program whose file describes the cluster, and whose rules that file has to obey. PCS: cloudformation.
    HyperPod: cloudformation."""
    cluster_step: str | None
    """Name of the deployment's step that makes the cluster itself; None where there is no cluster. PCS and HyperPod:
    that of their stack."""
    cluster_stack_pattern: str | None
    """What the stack that is the cluster is called, with ``{name}`` for the cluster's name."""
    stack_tag: str | None
    """Tag by which the program that makes clusters names each of them on its stacks; None where it has none. PCS and
    HyperPod: none."""
    keeps_failed_cluster: bool
    """A cluster whose making failed stays with its logs, and is deleted only by ``deploy --recreate``. PCS and
    HyperPod: no, CloudFormation makes their stacks like others."""
    has_head_node: bool
    """One instance of the user's own runs the scheduler, and everything reaches the cluster through it. PCS: no, AWS
    runs the controller. HyperPod: yes with Slurm (the controller group), no with EKS."""
    has_system_nodes: bool
    """Whether nodes of its own run what the cluster itself needs, such as DNS and operators. PCS: no. HyperPod: no
    with Slurm; with EKS they are nodes of the EKS cluster, which HyperPod does not make."""
    control_plane_spans_zones: bool
    """The control plane has subnets in two zones at least, also where all nodes stand in one. PCS: no, one subnet.
    HyperPod: no with Slurm, yes with EKS."""
    starts_nodes_for_jobs: bool
    """Whether jobs that wait make nodes start, up to the most that a queue may have. PCS: yes. HyperPod: no."""
    nodes_run_release: bool
    """Nodes fetch trainyard's release when they boot, and report to the bucket. PCS: yes, by user data of a launch
    template. HyperPod: yes, by its lifecycle script."""
    nodes_mount_file_systems: bool
    """The nodes themselves mount the file systems, and not only containers. PCS: yes. HyperPod: yes with Slurm."""
    mounts_scratch: bool
    """Nodes stripe their local NVMe and mount it where the spec says; of an environment, those of its clusters.
    PCS: yes, by user data. HyperPod: no, its images mount it at /opt/sagemaker."""
    opens_ssh: bool
    """``access.allow_from`` says who reaches nodes by SSH; of an environment, those of its clusters. PCS: yes, login
    nodes. HyperPod: no, Session Manager alone."""
    can_host_monitoring: bool
    """An instance with Prometheus and Grafana can be made beside it, to which its nodes' metrics are sent. PCS: yes.
    HyperPod: yes with Slurm."""
    needs_security_groups: bool
    """Its nodes need security groups that are there before the cluster: the program that makes it makes none for them,
    or none that file systems could admit before. PCS: yes, a launch template names them. HyperPod: yes."""
    interface_layout: InterfaceLayout | None
    """How the network interfaces of its nodes are laid out; None where there are no nodes. PCS: its launch template is
    the user's, laid out as for the VPC CNI. HyperPod: lays them out itself."""
    places_single_nodes: bool
    """Whether even one node with EFA gets a placement group unless the spec says otherwise, because the program that
    makes the cluster does so by itself. PCS: no, the launch template decides. HyperPod: no."""
    runs_tests_in_containers: bool
    """Whether bandwidth tests are rendered a second time for containers that the spec asks for. PCS: yes. HyperPod:
    yes with Slurm."""
    status_values_elsewhere: Mapping[str, Any]
    """The keys that only this platform has in the JSON of `status`, with what they say of clusters of others."""

    unusable_keys: Callable[[], UnusableKeys]
    """Keys and values of a spec that it cannot use."""
    overlay_problems: Callable[[Spec], Iterator[Problem]]
    """Yields the keys of its overlay, and of those of its stacks, that the spec models, or that have no place."""
    config_findings: Callable[[ParsedSpec, str | None, Callable[[str], None]], Iterator[Finding]]
    """Yields what its own program, of a version or of the spec's own, says about the configuration that is rendered, at
    the spec's lines; tells the last argument of long work. PCS and HyperPod: nothing, they have no such program."""
    file_findings: Callable[[Document, str, str | None, Callable[[str], None]], Iterator[Finding]] | None
    """Yields what its own program says of a file that it reads, given with its text, by a version or the newest; None
    where it is not asked. PCS and HyperPod: none."""
    config_update_findings: (
        Callable[[FormerFile, ParsedSpec, str | None, Callable[[str], None]], Iterator[Finding]] | None
    )
    """Yields what no update changes of a cluster that was made of a former spec, at the lines of the new one; None
    where its program has no such policies. PCS and HyperPod: none."""
    file_update_findings: (
        Callable[[FormerFile, Document, str, str | None, Callable[[str], None]], Iterator[Finding]] | None
    )
    """The same of two files that it reads, the new one given with its text."""
    spec_of_config: Callable[[Document], ConfigReading | None] | None
    """Reads a configuration of the program that ``made_by`` names, as the spec that says the same; None where nothing
    does. PCS and HyperPod: nothing."""
    adoption: Callable[[], PlatformAdoption] | None
    """Makes a spec of a configuration or of a cluster that exists; None where nothing does. PCS and HyperPod: none."""
    rendering: Callable[[], PlatformRendering]
    """The files that describe it."""
    picture: Callable[[], PlatformPicture]
    """What only its picture shows."""
    readme: Callable[[], PlatformReadme]
    """What the README of its bundle says."""
    plan: Callable[[], PlatformPlan]
    """What a plan says of it beyond steps and stacks."""
    deployment: Callable[[], PlatformDeployment]
    """How a cluster is made and removed."""
    replacement: Callable[[], PlatformReplacement] | None
    """How a second cluster takes over from one that no update changes; None where updates change all that matters, or
    nothing is known of it. PCS: as ParallelCluster, for what its own updates refuse. HyperPod: none."""
    rehearsal: Callable[[], PlatformRehearsal]
    """What a rehearsal does for it."""
    status: Callable[[StatusRequest], StatusQuery]
    """Begins to look at a cluster; what needs no other answer is asked at once."""
    logs: Callable[[], PlatformLogs] | None
    """What it has in CloudWatch; None where it has no nodes that log."""
    find_node: Callable[[Account, str, str | None], Target | None] | None
    """Finds an instance of the cluster of a name: the one that is named, else the newest that runs. None where the
    cluster is of another platform, or has no such instance; raises TrainyardError where it has none at all. There is no
    search where ParallelCluster's tags name all nodes. PCS: by the tags of its node groups. HyperPod: by its API."""
    find_tunnel: Callable[[Account, str, TunnelRequest], Tunnel | None] | None
    """Finds the way to Grafana or Prometheus inside the cluster of a name, where they stand on no instance that has a
    name; None where the cluster is of another platform. There is no search where they are always on instances. Raises
    InputError where it has no such thing, TrainyardError where it does not answer. PCS: none. HyperPod: none with
    Slurm; with EKS that of EKS."""
    node_replacement: Callable[[ReplacementRequest], NodeReplacement] | None
    """How a bad node is held, given up and proven; None where there are no nodes. PCS: by ending its instance.
    HyperPod: by BatchReplaceClusterNodes."""
    slurm_head: Callable[[str, Account], HeadNode] | None
    """Finds where commands of the Slurm of a cluster run; None where it has none that we reach. Raises TrainyardError
    where it does not run. PCS: a login node. HyperPod: its controller node, with Slurm."""
    node_discovery: Callable[[], NodeDiscovery]
    """Which of its instances are nodes whose metrics arrive."""
    bench_submission: Callable[[], BenchSubmission]
    """How bandwidth tests are run. PCS: by Slurm, from a login node. HyperPod: by Slurm from its controller node, or as
    MPIJobs."""
    training_jobs: Callable[[], TrainingJobs] | None
    """How training runs become jobs; None where there are no nodes. PCS: jobs of Slurm. HyperPod: jobs of Slurm, or
    PyTorchJobs or JobSets."""
    cluster_evidence: Callable[[], ClusterEvidence]
    """What tells of failures of a cluster. PCS: GetCluster and ListComputeNodeGroups. HyperPod: DescribeCluster and
    ListClusterEvents."""

    @property
    def has_slurm(self) -> bool:
        """Whether jobs are submitted to Slurm."""
        return self.scheduler == "slurm"

    @property
    def has_kubernetes(self) -> bool:
        """Whether jobs are pods, and Amazon EKS runs the control plane."""
        return self.scheduler == "kubernetes"

    @property
    def has_batch(self) -> bool:
        """Whether jobs are submitted to AWS Batch, which runs them in containers of Amazon ECS."""
        return self.scheduler == "batch"

    @property
    def made_by_parallelcluster(self) -> bool:
        """Whether ParallelCluster reads the configuration and makes the cluster, within its own limits."""
        return self.made_by == "parallelcluster"

    @property
    def made_by_eksctl(self) -> bool:
        """Whether eksctl reads the configuration and makes the cluster, with managed node groups of Amazon EKS."""
        return self.made_by == "eksctl"

    def cluster_stack(self, name: str) -> str:
        """Return the name of the stack that is the cluster; of an environment, which has none, its own name."""
        return (self.cluster_stack_pattern or "{name}").format(name=name)
