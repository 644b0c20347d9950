"""Scripts of the user's own that nodes run, before and after what trainyard installs."""

from __future__ import annotations

from trainyard.record import Record
from trainyard.spec.text import ScriptUrl


class Script(Record):
    """One script."""

    script: ScriptUrl
    """Where it lies: s3://… or https://…."""
    args: tuple[str, ...] = ()
    """What it is called with. Arguments are readable in the account, so never a secret."""


class CustomActions(Record):
    """Scripts by the moment at which they run, each list in its order. A script that fails fails the node."""

    on_start: tuple[Script, ...] = ()
    """Before ParallelCluster configures the node: no file systems, no Slurm."""
    before_setup: tuple[Script, ...] = ()
    """On the configured node, before what trainyard installs."""
    after_setup: tuple[Script, ...] = ()
    """On the configured node, after what trainyard installs."""


class CustomActionsWithUpdate(CustomActions):
    """Scripts of nodes that outlive an update of the cluster."""

    on_update: tuple[Script, ...] = ()
    """After an update of the cluster."""
