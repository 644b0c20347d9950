"""The parts that a platform has to have, as the rooms that ask for them see them.

The types of these rooms are imported for type checkers alone: this module lies below them all.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from trainyard.keyword_record import KeywordRecord

if TYPE_CHECKING:
    from trainyard.bundle.readme_contents import ReadmeContents
    from trainyard.deploy.cluster_update import RunningJobs
    from trainyard.deploy.plan.cost_line import CostLine
    from trainyard.deploy.plan.expected_time import PlannedStage
    from trainyard.deploy.plan.immutable_fields import ImmutableField
    from trainyard.deploy.replacement_loss import ReplacementLoss
    from trainyard.deploy.step import DeploymentStep
    from trainyard.deploy.work import Work
    from trainyard.diagnose.cluster.cluster_reader import ClusterReader
    from trainyard.diagnose.log_file import Unread
    from trainyard.edge.aws.account import Account
    from trainyard.edge.aws.cluster_logs import LogGroup
    from trainyard.edge.aws.stacks import StackState
    from trainyard.edge.kubernetes.kubectl import KubectlOf
    from trainyard.finding import Path, Severity
    from trainyard.finding_kinds import Problem
    from trainyard.operate.logs.cluster_log import ClusterLog, ListedGroup, Stream, StreamSource
    from trainyard.operate.logs.export import Export, ExportPart
    from trainyard.operate.logs.log_filter import LogSelection
    from trainyard.operate.logs.logs import LogReader
    from trainyard.operate.monitoring.verify.in_account import CheckedTags, InAccount, ScrapedInstance
    from trainyard.operate.nodes.replacement_record import ReplacementRecord
    from trainyard.operate.status.cluster_status import Status
    from trainyard.render.bench.job import BenchJob
    from trainyard.render.cloudformation.stack import Stack
    from trainyard.render.diagram.cards import Card
    from trainyard.render.node_image import NodeImage
    from trainyard.render.stand_ins import Ids
    from trainyard.spec.cluster import Spec
    from trainyard.submission.job import PlannedJob
    from trainyard.submission.scheduler import Scheduler as JobScheduler
    from trainyard.training.run import Run


class UnusableKeys(KeywordRecord):
    """What a spec may say that a platform has no use for."""

    paths: tuple[Path, ...]
    """Sections, and keys of sections."""
    queue_keys: tuple[str, ...] = ()
    node_keys: tuple[str, ...] = ()
    """Keys of compute resources, or of a queue that is one."""
    number_keys: tuple[str, ...] = ()
    """Keys of a range of nodes."""
    values: Callable[[Spec], Iterator[Problem]] = lambda _spec: iter(())
    """Yields values of keys that it has, but not with this value."""


class FormerFile(NamedTuple):
    """The file that a cluster was made of."""

    name: str
    text: str


class RuleOnConfig(NamedTuple):
    """How a rule about specs judges a configuration that a program of others reads."""

    remedy: str | None = None
    """What to do, in the words of the file; None where the rule's own suits."""
    severity: Severity | None = None
    """Where it weighs less than in a spec."""


class ConfigReading(NamedTuple):
    """A configuration that a program of others reads, as the spec that says the same; see checking/config_rules.py."""

    spec: Spec
    places: Mapping[Path, Path]
    """Where in the file each part of the spec comes from, also what is plainly missing there."""
    unknown: frozenset[Path]
    """Parts of the spec that the file does not say, and of which nothing follows."""
    rules: Mapping[str, RuleOnConfig]
    """The rules that such files can be judged by."""


class AdoptableConfig(NamedTuple):
    """A configuration that a program of others reads, and what is known beside it."""

    config: Mapping[str, Any]
    name: str
    """Of the cluster."""
    region: str
    """For a configuration that names none."""
    version: str | None = None
    """Of the program that made the cluster; None where nobody knows it."""
    vpc: str | None = None
    """The one of its subnets; None where nobody knows it."""


class AdoptedConfig(NamedTuple):
    """The plain data of a spec that renders a configuration."""

    data: dict[str, Any]
    differences: tuple[tuple[Path, Any, Any], ...]
    """Where the rendering differs all the same: path, value in the configuration, value that is rendered."""
    comments: Mapping[str, tuple[str, ...]]
    """What was decided, by the section of the spec that it concerns."""


class ConfigNames(NamedTuple):
    """What a configuration is called, as far as it says so itself; placeholders do not."""

    name: str | None
    """Of the cluster."""
    region: str | None


class PlatformAdoption(Protocol):
    """How a configuration or a cluster of somebody else becomes a spec."""

    def names_in(self, config: Mapping[str, Any]) -> ConfigNames:
        """Return the name and the region that a configuration says."""

    def adopted_config(self, adoptable: AdoptableConfig) -> AdoptedConfig:
        """Return a spec that renders a configuration. Raises InputError where no spec can."""

    def config_of_cluster(self, account: Account, name: str) -> AdoptableConfig | None:
        """Return the configuration of a cluster that runs; None where there is none of this platform. Asks only."""


class RehearsedPrograms(Protocol):
    """The programs of the user that a deployment calls, as they are in a rehearsal."""

    def equip(self, work: Work) -> None:
        """Give them to a deployment."""
        ...

    @property
    def reached(self) -> Sequence[str]:
        """What real programs have passed beyond the deployment itself: see rehearsal/report/honest_lists.py."""
        ...

    @property
    def unproved(self) -> Sequence[str]:
        """Sentences on what real programs said that only AWS can judge."""
        ...


class PlatformRehearsal(Protocol):
    """What a rehearsal does for one platform."""

    @property
    def CONDITIONS(self) -> Mapping[str, Callable[[Spec], bool]]:  # noqa: N802  a constant of the module
        """What specs of this platform may have, by the names that the lists of a rehearsal use."""
        ...

    @property
    def STRIKES(self) -> frozenset[str]:  # noqa: N802  a constant of the module
        """What of it can break down on purpose, as rehearsal/emulated/breakdown.py calls it."""
        ...

    def programs(
        self, account: Account, spec: Spec, report: Callable[[str], None]
    ) -> AbstractContextManager[RehearsedPrograms]:
        """Return the programs for an account, until the rehearsal ends. ``report`` hears of what takes long."""
        ...

    def with_programs(self, account: Account) -> Account:
        """Return an emulated account with the programs that are emulated with it, for any later command."""
        ...

    def jobs(self) -> DeploymentStep | None:
        """Return the step that gives jobs to the deployed cluster; None where none can run."""
        ...

    def archive_files(self, work: Work) -> Iterator[tuple[str, str]]:
        """Yield names and contents of what the archive has beyond logs, stack events and trainyard's own events."""
        ...


class ClusterEvidence(Protocol):
    """What tells of failures of a cluster beside its logs and what its nodes recorded. A cluster may be gone."""

    PART: str
    """What it is called where it cannot be read."""

    def stack_names(self, cluster: str) -> tuple[str, ...]:
        """Return the stacks that such a cluster has on this platform, and whose events `diagnose` reads."""

    def read_state(self, account: Account, cluster: str, reader: ClusterReader, kubectl: KubectlOf) -> bool:
        """Read what the platform itself says of a cluster, and return whether it knows one of this name.

        What nobody may look at is listed as left out. Raises InputError for a node that is asked for and that it has
        not, TrainyardError where AWS does not answer.
        """

    def missing_logs(self, account: Account, cluster: str) -> Unread | None:
        """Return which logs a cluster of the platform does not keep in CloudWatch by a setting; None where it does."""


class PlatformPlan(Protocol):
    """What `trainyard plan` says of a cluster itself; the stacks beside it are the same everywhere."""

    def cost_lines(self, spec: Spec) -> Iterator[CostLine]:
        """Yield what nodes, control plane and the monitoring that only this platform has cost an hour."""
        ...

    def stages(self, spec: Spec) -> Iterator[PlannedStage]:
        """Yield how long the cluster takes, and then its nodes, as far as somebody measured it."""
        ...

    def immutable_fields(self, spec: Spec) -> Iterator[ImmutableField]:
        """Yield what of the spec no update of the cluster changes."""
        ...


class PlatformDeployment(Protocol):
    """How a cluster is made and removed, and what that takes."""

    def steps_to_deploy(self, spec: Spec) -> list[DeploymentStep]:
        """Return every step after that of the bucket, in order. One that is called ``changes`` is applied first."""
        ...

    def steps_to_destroy(self) -> list[DeploymentStep]:
        """Return the steps of the cluster itself, in the order of making. Each leaves what is not of its platform."""
        ...

    def endpoints(self, spec: Spec) -> Iterator[str]:
        """Yield the services that nodes have to reach to come up, also where there is no internet.

        As the names of their VPC endpoints have them behind the region.
        """
        ...

    def permissions(self, spec: Spec) -> Iterator[str]:
        """Yield the parts of deploy/permissions.yaml that making and removing the cluster itself takes."""
        ...

    def running_programs(self, work: Work) -> AbstractContextManager[None]:
        """Give the work what runs as long as it does, such as ParallelCluster, which takes long to start."""
        ...

    def refuse_undeletable(self, work: Work) -> None:
        """Raise TrainyardError where a cluster of this platform could not be deleted; before anything is touched."""
        ...

    def jobs_to_end(self, work: Work) -> RunningJobs:
        """Return the jobs that deleting the cluster would end, or why nobody says; none on another platform."""


class PlatformReplacement(Protocol):
    """How a second cluster takes over from one that no update changes."""

    def losses(self, former: Work, successor: Work) -> list[ReplacementLoss]:
        """Return what the former cluster has and the second would not have."""
        ...

    def steps(self, former: Work, successor: Work, queues: Collection[str] = ()) -> list[DeploymentStep]:
        """Return the steps that move queues, all where none is named; they are applied to the former cluster.

        Raises TrainyardError where it has none of a name.
        """
        ...

    def open_queues(self, former: Work) -> list[str]:
        """Return the queues of which the former cluster may still have jobs or nodes."""
        ...


class NodeReplacement(Protocol):
    """How a bad node is held, given up and proven; each is asked again where a call has ended early."""

    @property
    def HAS_SUCCESSOR(self) -> bool:  # noqa: N802  a constant
        """Whether another instance takes its place by itself; False where one comes with the next job."""
        ...

    def find(self, node: str) -> ReplacementRecord:
        """Return the node of a name, or of the id of an instance. Raises InputError where there is none."""
        ...

    def hold(self, record: ReplacementRecord) -> str:
        """Let no further jobs begin on it, whatever runs there, and say how."""
        ...

    def is_held(self, record: ReplacementRecord) -> bool:
        """Return whether what `hold` has done is still there, on the node or on its successor."""
        ...

    def evidence(self, record: ReplacementRecord) -> Mapping[str, Callable[[], Any]]:
        """Return what the scheduler can be asked about it, by the name in the evidence."""
        ...

    def jobs(self, record: ReplacementRecord) -> tuple[str, ...]:
        """Return what runs on it and would be lost, in words that no user has chosen."""
        ...

    def why_not_given_up(self, record: ReplacementRecord, *, end_jobs: bool) -> str:
        """Let the instance end, and return nothing; or return what does not let it go yet."""
        ...

    def successors(self, record: ReplacementRecord) -> Sequence[str]:
        """Return the instances that run and may be in its place, the likeliest first. Asked when it is gone."""
        ...

    def why_not_back(self, record: ReplacementRecord) -> str:
        """Return why the scheduler cannot use the successor yet, which is held as well; nothing where it can."""
        ...

    def health_problem(self, record: ReplacementRecord) -> str:
        """Return what the health check of the successor finds; nothing where it is well."""
        ...

    def release(self, record: ReplacementRecord) -> None:
        """Give the successor to jobs."""
        ...

    def release_command(self, record: ReplacementRecord) -> str:
        """Return what a person would do to give it to jobs."""
        ...


class PodLogSource(Protocol):
    """Reads the logs of pods, by kubectl."""

    def has_cluster(self, account: Account, cluster: str) -> bool:
        """Return whether the platform has a cluster of this name now; False where nobody may ask."""
        ...

    def pod_logs(self, account: Account, cluster: str, selection: LogSelection, kubectl_of: KubectlOf) -> LogReader:
        """Return the logs of some pods.

        Raises InputError where there are none of what is asked for, TrainyardError where there is no such cluster, or
        nobody answers.
        """
        ...


class PlatformLogs(Protocol):
    """What lies in CloudWatch of clusters of one platform, also of those that are gone."""

    STREAMS_ARE_OF_JOBS: bool
    """Whether streams are of jobs, not of nodes that stay."""

    @property
    def PODS(self) -> PodLogSource | None:  # noqa: N802  a constant of the module
        """What reads the logs of pods, which are not in CloudWatch; None where jobs are no pods."""
        ...

    def groups(self, account: Account, cluster: str) -> tuple[LogGroup, ...]:
        """Return the log groups of clusters of this name, the newest first, as the platform or trainyard names them."""
        ...

    def groups_of_stack(self, account: Account, cluster: str) -> tuple[LogGroup, ...]:
        """Return log groups with names of their own that a stack of this name has; asked where there are no others."""
        ...

    def main_group(self, groups: Sequence[LogGroup]) -> LogGroup:
        """Return the group that is read where none is named, of some of which this platform has the newest."""
        ...

    def list_streams(self, account: Account, cluster: str, group: LogGroup) -> ListedGroup:
        """Return the streams of a group."""
        ...

    def parsed_stream(self, name: str) -> StreamSource | None:
        """Return whose stream it is by its name; None where it is of another platform."""
        ...

    def streams_of(self, account: Account, log: ClusterLog, selection: LogSelection) -> tuple[Stream, ...]:
        """Return the streams of some nodes or jobs; all where none are named. Raises InputError where one has none."""
        ...

    def summary(self, log: ClusterLog, streams: Sequence[Stream]) -> str:
        """Return what some streams are of, such as "3 nodes"."""
        ...

    def export_part(self, export: Export, kubectl_of: KubectlOf) -> ExportPart | None:
        """Return what an archive has beside the logs in CloudWatch; None where nothing is."""
        ...


class NodeDiscovery(Protocol):
    """Which instances are nodes whose metrics arrive, and who sends these; for `monitor verify`."""

    def instances(self, account: Account, spec: Spec) -> tuple[ScrapedInstance, ...]:
        """Return the cluster's instances; also those that are gone for a while."""
        ...

    def checked_tags(self, account: InAccount) -> Iterable[CheckedTags]:
        """Return the nodes whose tags discovery reads, each with those that are wrong."""
        ...

    def refused_senders(self, account: InAccount, workspace: str) -> Iterable[str]:
        """Return, as messages, who sends metrics and may not write to the workspace."""
        ...


class StatusQuery(Protocol):
    """A look at one cluster, as if it were of one platform."""

    def own_stacks(self, stacks: Sequence[StackState]) -> tuple[StackState, ...]:
        """Return those of an account's stacks that are the cluster's, its own last."""
        ...

    def owns(self, stacks: Sequence[StackState]) -> bool:
        """Return whether these stacks, which are the cluster's, say by themselves that it is of this platform."""
        ...

    def exists(self, stacks: Sequence[StackState]) -> bool:
        """Return whether AWS says that it is of this platform, where neither its stacks nor its record do."""
        ...

    def look(self, status: Status, bucket: str) -> Status:
        """Return the status with all that the platform tells; ``bucket`` is the one that its nodes report to."""
        ...


class BenchSubmission(Protocol):
    """How the bandwidth tests of a cluster are run."""

    def has_mpi(self, spec: Spec) -> bool:
        """Return whether a cluster of this spec can start MPI programs on several nodes."""

    def job(self, job: BenchJob, spec: Spec) -> PlannedJob:
        """Return a planned job as the platform's scheduler takes it."""

    def scheduler(
        self, spec: Spec, account: Account, *, ssh: str | None, keep: bool, kubectl: KubectlOf
    ) -> JobScheduler:
        """Return what runs the jobs of a deployed cluster.

        ``ssh`` is the host that its head node is reached by, ``keep`` leaves ended jobs in Kubernetes: both are refused
        before where there is no such thing. Raises TrainyardError where nothing runs that takes jobs.
        """


class TrainingJobs(Protocol):
    """How training runs become jobs."""

    def files(self, run: Run, spec: Spec) -> dict[str, str]:
        """Return what `run render` writes, text by name. Raises InputError where the run lacks something for it."""

    def job(self, run: Run, spec: Spec, scheduler: JobScheduler) -> PlannedJob:
        """Return the job that `run submit` submits. Raises as files() does."""

    def scheduler(self, spec: Spec, account: Account, *, ssh: str | None, kubectl: KubectlOf) -> JobScheduler:
        """Return what runs the jobs of a deployed cluster.

        Raises TrainyardError where it cannot be reached.
        """


class PlatformReadme(Protocol):
    """What the README of a bundle says about its own cluster."""

    @property
    def CREATE_COMMAND(self) -> str | None:  # noqa: N802  a constant of the module
        """Which command reads cluster.yaml; None where there is no such file."""

    @property
    def BENCH_FILES(self) -> tuple[str, ...]:  # noqa: N802  a constant of the module
        """Rows of the table of files, about those of bandwidth tests."""

    def version_note(self, spec: Spec) -> str | None:
        """Return what the cluster is made for, with the version that the spec names; None where there is none."""

    def steps(self, spec: Spec, contents: ReadmeContents) -> Iterator[str]:
        """Yield the lines of the steps that follow the making of stacks: deploy, use and remove."""


class PlatformPicture(Protocol):
    """What only the picture of a cluster of the platform shows. Pure."""

    def title(self, spec: Spec) -> str:
        """Return what runs the jobs, with its version."""

    def nodes_beside_queues(self, spec: Spec) -> str:
        """Return a sentence about nodes that stand in no queue, with a space behind it; nothing without such nodes."""

    def has_public_control_plane(self, spec: Spec) -> bool:
        """Return whether people reach a control plane of the cluster's own from outside the network."""

    def node_cards(self, spec: Spec) -> Iterator[tuple[str, str, Card]]:
        """Yield nodes that stand in no queue: their subnet, their role in the picture, and their card."""

    def head_services(self, spec: Spec) -> Iterator[tuple[str, Card]]:
        """Yield services that people use, by role, before those of monitoring."""

    def node_services(self, spec: Spec) -> Iterator[tuple[str, Card]]:
        """Yield services that every node talks to, by role."""

    def own_file_systems(self, spec: Spec) -> Iterator[tuple[str, str]]:
        """Yield mount and description of what stands in place of file systems, or beside them."""

    def ways_in(self, spec: Spec) -> Iterator[str]:
        """Yield by which ways people come in."""


class PlatformRendering(Protocol):
    """The files of a platform, beside those of the stacks that every platform may need. Pure."""

    def cluster_documents(self, spec: Spec, ids: Ids) -> dict[str, Any]:
        """Return what the program reads that makes the cluster, by file name; nothing where that is a stack."""

    def collection(self, spec: Spec, ids: Ids) -> dict[str, dict[str, Any]]:
        """Return what collects metrics, by file name."""

    def manifests(self, spec: Spec, ids: Ids) -> dict[str, str]:
        """Return the texts of what Kubernetes runs, by their names below manifests/."""

    def stacks(self, spec: Spec, ids: Ids) -> Sequence[Stack]:
        """Return the stacks of its own, which come after all others."""

    def container_images(self, spec: Spec) -> dict[str, bytes]:
        """Return what images of containers are built of, by name below images/."""

    def node_images(self, spec: Spec) -> tuple[NodeImage, ...]:
        """Return the images that its nodes can boot instead of official ones; nothing where nothing can be baked."""

    def node_image_config(self, spec: Spec, image: NodeImage, ids: Ids, parent: str) -> dict[str, Any]:
        """Return what the program reads that builds one of them. ``parent`` is the image that it is built on."""

    def bench_file_name(self, job: BenchJob) -> str:
        """Return the name of a bandwidth test's file."""

    def bench_files(self, spec: Spec, jobs: Sequence[BenchJob]) -> dict[str, bytes]:
        """Return the files of bandwidth tests by name below bench/: one for each, and what they need beside them."""
