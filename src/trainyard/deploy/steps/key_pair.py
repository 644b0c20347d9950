"""The EC2 key pair of the spec, where it is to be made."""

from __future__ import annotations

from trainyard.deploy.step import Probe, StepOutcome
from trainyard.deploy.work import Work
from trainyard.edge.aws.key_pairs import create_key_pair, finish_key_pair, key_pair_exists, key_pair_unfinished
from trainyard.edge.aws.stacks import find_stack
from trainyard.errors import TrainyardError
from trainyard.platform_table import platform_of


class KeyPair:
    """Makes the key pair of ``access.ssh_key`` when asked to. It is never deleted: people log in elsewhere with it."""

    name = "key-pair"
    title = "EC2 key pair"

    def probe(self, work: Work) -> Probe:
        """Say whether it exists."""
        name = work.required_spec().access.ssh_key
        if name is None or key_pair_exists(work.account, name):
            return Probe("there", name or "none is needed")
        return Probe("missing", name)

    def apply(self, work: Work) -> StepOutcome:
        """Make it where it is missing and a file for its private key was named."""
        name, file = work.required_spec().access.ssh_key, work.options.create_key_pair
        if name is None:
            return StepOutcome(changed=False)
        tags = {work.tag: work.name}
        # A cluster that is there was made with the key pair, so it stays what it is.
        cluster = platform_of(work.required_spec()).cluster_stack(work.name)
        if key_pair_unfinished(work.account, name, tags) and find_stack(work.account, cluster) is None:
            if file is None:
                raise _lost(name)
            finish_key_pair(work.account, name, file, tags)
        elif file is None or key_pair_exists(work.account, name):
            return StepOutcome(changed=False)
        else:
            create_key_pair(work.account, name, file, tags)
        return StepOutcome(changed=True, detail=f"{name}; its private key is in {file}")

    def undo(self, work: Work) -> StepOutcome:
        """Leave it."""
        del work
        return StepOutcome(changed=False)


def _lost(name: str) -> TrainyardError:
    return TrainyardError(
        f"the call that made key pair {name} ended early, and its private key may be lost",
        where="access.ssh_key",
        hint="add --create-key-pair with the same file: what is missing is made again",
    )
