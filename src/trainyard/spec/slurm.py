"""The Slurm of ParallelCluster."""

from __future__ import annotations

from typing import Annotated, Literal

from trainyard.field import Positive, Text, Whole
from trainyard.record import Record
from trainyard.spec.access import Port
from trainyard.spec.text import HostName, SecretArn

# ParallelCluster takes its own settings away from users: the rule slurm-setting-denied.
SlurmKey = Annotated[str, Text(r"^[A-Za-z][A-Za-z0-9_]*$", "the name of a Slurm setting such as KillWait")]
SlurmValue = Annotated[
    str | int,
    Text(r"^[^\r\n#]+$", "the value of a Slurm setting: a number, or text on one line without #", numbers=True),
]
SlurmSettings = dict[SlurmKey, SlurmValue]
DatabaseName = Annotated[
    str, Text(r"^[0-9a-z_]{1,64}$", "the name of a database: 1 to 64 lower-case letters, digits and underscores")
]
# -1 never gives a node back.
IdleMinutes = Annotated[int, Whole("a whole number of minutes, 0 or more, or -1 for never", least=-1)]


class Database(Record):
    """A MySQL or MariaDB server for accounting, which the head node's own slurmdbd writes to."""

    host: HostName
    """The server."""
    port: Port = 3306
    """Its port."""
    user: str
    """User of the database."""
    password_secret: SecretArn
    """Secret that holds the user's password and nothing else, by ARN."""
    name: DatabaseName | None = None
    """Name of the database. By default ParallelCluster makes one after the cluster."""


class Slurmdbd(Record):
    """A slurmdbd that runs elsewhere, for several clusters."""

    host: HostName
    """Where it runs."""
    port: Port = 6819
    """Its port."""


class Accounting(Record):
    """Where Slurm keeps account of jobs."""

    one_of = (("database", "slurmdbd"),)

    database: Database | None = None
    """A database of the cluster's own."""
    slurmdbd: Slurmdbd | None = None
    """A slurmdbd that exists. It needs the cluster's munge key: name munge_secret."""


class Slurm(Record):
    """Settings of the scheduler."""

    scaledown_idle_minutes: IdleMinutes = 10
    """Minutes after which an idle dynamic node is given back."""
    queue_update_strategy: Literal["COMPUTE_FLEET_STOP", "DRAIN", "TERMINATE"] = "DRAIN"
    """What happens to running nodes when an update changes their queue."""
    job_exclusive: bool = False
    """Give every job whole nodes, in every queue that does not say otherwise."""
    kill_wait_s: Positive | None = None
    """Seconds between the polite and the forced end of a job. Slurm's own default is 30."""
    slurmd_timeout_s: Positive | None = None
    """Seconds without an answer after which a node counts as down. By default what ParallelCluster sets."""
    unkillable_step_timeout_s: Positive | None = None
    """Seconds after which processes that cannot be killed drain their node."""
    memory_scheduling: bool = False
    """Memory is a resource that jobs ask for and are held to."""
    accounting: Accounting | None = None
    """Keep account of jobs in a database."""
    munge_secret: SecretArn | None = None
    """Secret with the munge key, in base64, by ARN. By default the cluster makes a key of its own."""
    settings: SlurmSettings = {}
    """Further lines of slurm.conf."""
