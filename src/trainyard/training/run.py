"""A training run as one typed file says it: on which nodes, what, for how long, with which checkpoints."""

from __future__ import annotations

from typing import Annotated, Literal

from trainyard.field import Above, Count, Positive, Text
from trainyard.record import Record
from trainyard.spec.text import MountDir, QueueName

# It names jobs, folders and pods: https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#dns-label-names
RunName = Annotated[
    str, Text(r"^[a-z]([a-z0-9-]{0,38}[a-z0-9])?$", "1 to 40 lower-case letters, digits and hyphens, a letter first")
]
Words = Annotated[str, Text(r"^[^\x00-\x1f\x7f]*[^\x00-\x20\x7f][^\x00-\x1f\x7f]*$", "one line of text", longest=4096)]
ClusterReference = Annotated[
    str, Text(r"^[^\x00-\x1f\x7f-][^\x00-\x1f\x7f]*$", "the file of a spec, such as cluster.yaml", longest=1024)
]
VariableName = Annotated[str, Text(r"^[A-Za-z_][A-Za-z0-9_]*$", "the name of a variable, such as NCCL_DEBUG")]
# https://github.com/opencontainers/distribution-spec/blob/main/spec.md#pulling-manifests
ImageName = Annotated[
    str, Text(r"^[A-Za-z0-9][A-Za-z0-9._/:@+#-]*$", "an image such as nvcr.io/nvidia/pytorch:25.06-py3", longest=512)
]
Moment = Annotated[
    str,
    Text(r"^20[0-9]{2}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9](:[0-5][0-9])?Z$",
         "a time such as 2026-12-01T11:30Z, in UTC"),
]  # fmt: skip
Hours = Annotated[float, Above("more than 0 hours, such as 24", 0)]
Minutes = Annotated[float, Above("more than 0 minutes, such as 20", 0)]
Seconds = Annotated[float, Above("more than 0 seconds, such as 60", 0)]
Amount = Annotated[float, Above("a number above 0", 0)]


class Program(Record):
    """What is run."""

    one_of = (("template", "torchrun", "script"),)

    template: Literal["ddp", "fsdp"] | None = None
    """A small transformer on synthetic data that comes with trainyard, by torch's DDP or FSDP2."""
    torchrun: Words | None = None
    """What torchrun runs once for each GPU, such as train.py --config 8b.yaml."""
    script: Words | None = None
    """A launch script that is run once on each node, with MASTER_ADDR, MASTER_PORT, NNODES, NODE_RANK and GPUS_PER_NODE
    set; those of Megatron-LM and NeMo take these."""
    launcher: Literal["torchrun", "ft_launcher"] = "torchrun"
    """What starts the ranks of a node, and not of a script: torchrun, or ft_launcher of NVIDIA's resiliency extension,
    which starts them again within the job and lets no node join whose health check fails. Slurm alone."""
    arguments: tuple[Words, ...] = ()
    """What the program is told behind that, one word each."""
    folder: MountDir | None = None
    """Where it is run, on a file system of all nodes. By default the folder of the run's own files."""
    python: Words = "python3"
    """The interpreter that has torch, without a container."""
    processes_per_node: Positive | None = None
    """Processes on a node. By default one for each GPU, and one where there are none."""


class Checkpoints(Record):
    """Where the run keeps what it goes on from."""

    folder: MountDir
    """A folder that all nodes see, below which the run has one of its own name."""
    interval_min: Minutes = 20.0
    """How often a checkpoint is written."""
    write_s: Seconds = 60.0
    """How long training stands still for one, as far as you know: `run check` says which interval is best for it."""
    keep: Positive = 2
    """How many stay."""


class Restarts(Record):
    """How often the run is started again."""

    most: Count = 20
    """Starts after the first; 0 for none."""
    before_end_min: Minutes = 5.0
    """How long before the time limit, or the end of a Capacity Block, the run is told to write a checkpoint and end."""
    hang_min: Minutes = 20.0
    """After how long without a line of progress the run hangs: on Slurm its stacks are written and it is started again.
    More than a checkpoint takes; a start has half an hour at least. A program that writes no such lines is not
    watched."""


class Model(Record):
    """What of the model says how much it computes: for the utilisation (MFU)."""

    one_of = (("flops_per_token", "parameters"),)

    flops_per_token: Amount | None = None
    """Floating point operations that training takes for a token, forward and backward."""
    parameters: Amount | None = None
    """How many parameters a token passes, without embeddings that are only looked up; of experts the active ones."""
    layers: Positive | None = None
    """How many blocks, for what attention takes beside the parameters."""
    hidden: Positive | None = None
    """The width of a block."""
    context: Positive | None = None
    """How many tokens a sequence has."""
    precision: Literal["bf16", "fp16", "fp8", "fp4", "tf32", "fp32"] = "bf16"
    """In which precision the matrices are multiplied."""
    tokens_per_step: Positive | None = None
    """Tokens of all ranks together in a step, where the program does not tell them itself."""


class Run(Record):
    """A training run."""

    kind: Literal["run"]
    """run, which tells this file from a spec."""
    name: RunName
    """Name of the run, its job and its folder."""
    cluster: ClusterReference
    """The spec of the cluster it runs on: a file, seen from this one."""
    queue: QueueName | None = None
    """Queue of the spec. By default the first that has GPUs, otherwise the first."""
    nodes: Positive
    """How many nodes it trains on."""
    spare_nodes: Count = 0
    """How many more the queue is to have, so that a restart does not wait for the replacement of a node."""
    program: Program
    """What is run."""
    container: ImageName | None = None
    """Image that it runs in. On Slurm by default none; on AWS Batch and Amazon EKS that of the cluster for PyTorch."""
    kubernetes_job: Literal["PyTorchJob", "JobSet"] | None = None
    """What it is on Amazon EKS: a PyTorchJob, whose pods are started again one by one, or a JobSet, which starts all of
    them again together, and counts no restart for a pod that was evicted or lost its node. By default what
    eks.operators of the cluster has an operator for, a PyTorchJob where it has both."""
    environment: dict[VariableName, Annotated[str, Text(r"^[^\x00]*$", "text", longest=4096, numbers=True)]] = {}
    """Variables of every process."""
    checkpoints: Checkpoints | None = None
    """Where it keeps what it goes on from."""
    time_limit_h: Hours
    """How long one start may take. With restarts the run goes on after it."""
    block_ends: Moment | None = None
    """When the Capacity Block of its nodes ends, by which the run has to have written its last checkpoint."""
    restarts: Restarts = {}  # type: ignore[assignment]  # plain data, validated like input
    """How often it is started again."""
    model: Model | None = None
    """What it computes."""

    @property
    def folder(self) -> str | None:
        """Return the folder of its own, with its checkpoints and its progress; None where nothing was written."""
        return None if self.checkpoints is None else f"{self.checkpoints.folder}/{self.name}"
