"""A node of Slurm that is replaced in an account in memory, by a head node that a test makes up."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from botocore.awsrequest import AWSResponse

from tests.operate.nodes.planted import BUCKET, NOON, launch, put, record
from trainyard.edge.aws.account import Account, Clock
from trainyard.edge.remote_command import CommandResult
from trainyard.operate.nodes.replacement import ReplacementRequest, replace_node
from trainyard.operate.nodes.replacement_record import ReplacementRecord, replacements
from trainyard.operate.slurm.node_replacement import SlurmReplacement

OLD_GPU, NEW_GPU = (f"GPU-0000000{number}-0000-4000-8000-000000000000" for number in (1, 2))
COMMANDS = 11
"""What a replacement takes at most that waits for nothing."""
OK = CommandResult(0, b"", "")


class Quick(Clock):
    """Time goes by without waiting."""

    def __init__(self) -> None:
        self.at = NOON
        self.daemons: list[Callable[[], None]] = []

    def now(self) -> float:
        return self.at

    def sleep(self, seconds: float) -> None:
        self.at += seconds
        for daemon in self.daemons:
            daemon()


class Killed(BaseException):
    """The call ends, as by SIGKILL."""


@dataclass
class FakeSlurm:
    """A head node with Slurm and clustermgtd, of which one node has an instance in an account."""

    account: Account
    name: str
    instance: str
    new_gpus: list[str]
    jobs: int = 0
    state: str = "idle"
    new_status: str = "ready"
    health: str = ""
    reservations: set[str] = field(default_factory=set)
    commands: list[str] = field(default_factory=list)
    dies_at: int = -1
    given_up: list[str] = field(default_factory=list)
    """The instances that were behind the name when it was drained or set down."""

    def __post_init__(self) -> None:
        assert isinstance(self.account.clock, Quick)
        self.account.clock.daemons.append(lambda: self.clustermgtd())  # noqa: PLW0108  a test takes another one

    def run(self, arguments: tuple[str, ...], content: bytes = b"") -> CommandResult:
        words = arguments[4:] if arguments[:2] == ("bash", "-c") else arguments
        if len(self.commands) == self.dies_at:
            self.dies_at = -1
            raise Killed
        self.commands.append(" ".join(words))
        if content:
            return CommandResult(0, gzip.compress(self.listing().encode()), "")
        answer: Callable[[tuple[str, ...]], CommandResult] = getattr(self, words[0])
        return answer(words[1:])

    def listing(self) -> str:
        return f"== nodes\ngpu|{self.name}|{self.state}|{self.address()}|none\n== counts\n== jobs\n== names\n"

    def address(self) -> str:
        found = self.account.client("ec2").describe_instances(InstanceIds=[self.instance])
        return str(found["Reservations"][0]["Instances"][0].get("PrivateIpAddress", self.name))

    def clustermgtd(self) -> None:
        """Replace a node that is drained or down without jobs; a dynamic one only loses its instance."""
        if self.state not in ("drained", "down"):
            return
        self.account.client("ec2").terminate_instances(InstanceIds=[self.instance])
        if "-dy-" in self.name:
            self.state = "idle~"
        else:
            self.launch()

    def launch(self) -> None:
        self.instance = launch(self.account, "Compute", queue_name="gpu", compute_resource_name="p5-48xlarge")
        written = record(self.instance, self.new_status, hostname=self.name, gpus=self.new_gpus)
        put(self.account, self.instance, written)
        self.state = "idle"

    def squeue(self, words: tuple[str, ...]) -> CommandResult:
        assert f"--nodelist={self.name}" in words
        job, self.jobs = self.jobs, max(self.jobs - 1, 0)
        return CommandResult(0, b"7|ada|2\n" if job else b"", "")

    def srun(self, words: tuple[str, ...]) -> CommandResult:
        assert f"--reservation=trainyard-replace-{self.name}" in words
        return CommandResult(1, self.health.encode(), "") if self.health else OK

    def scontrol(self, words: tuple[str, ...]) -> CommandResult:
        match words:
            case ("show", "node", _):
                return CommandResult(0, b"Reason=Xid 79", "")
            case ("show", "reservation", name):
                shown = f"ReservationName={name} StartTime=now" if name in self.reservations else ""
                return CommandResult(0, shown.encode(), "") if shown else CommandResult(1, b"", f"{name} not found")
            case ("create", "reservation", name, *more):
                assert "MAINT" not in " ".join(more)
                self.reservations.add(name.partition("=")[2])
            case ("delete", name):
                self.reservations.remove(name.partition("=")[2])
            case ("update", _, "State=DRAIN", *_):
                self.state = "drained"
                self.given_up.append(self.instance)
            case ("update", _, "State=DOWN", *_):
                self.state, self.jobs = "down", 0
                self.given_up.append(self.instance)
            case ("update", _, "State=POWER_UP"):
                self.launch()
            case _:
                return CommandResult(1, b"", f"unexpected: {words}")
        return OK


@dataclass
class Case:
    account: Account
    slurm: FakeSlurm
    old: str
    told: list[str] = field(default_factory=list)

    def replace(self, node: str | None = None, **options: Any) -> ReplacementRecord:
        options = {"tell": self.told.append, **options}
        name = node or self.slurm.name
        request = ReplacementRequest(self.account, BUCKET, "llm", name, "Xid 79", reports=True, **options)
        return replace_node(request, SlurmReplacement(request, self.slurm))

    @property
    def held(self) -> bool:
        return f"trainyard-replace-{self.slurm.name}" in self.slurm.reservations

    def stored(self) -> list[ReplacementRecord]:
        return [stored.record for stored in replacements(self.account, BUCKET, "llm")]


def topology(params: dict[str, Any], **_: object) -> tuple[AWSResponse, dict[str, Any]]:
    """Answer as EC2 does, which moto does not."""
    instance = {"InstanceId": params["body"]["InstanceId.1"], "NetworkNodes": ["nn-1", "nn-2"]}
    return AWSResponse("", 200, {}, None), {"Instances": [instance]}
