"""File systems of FSx for Lustre that the spec names by id: nothing is made, but pods are told how to mount them.

Nodes of ParallelCluster ask FSx themselves; a volume of Kubernetes says by what name a file system is mounted.
"""

from __future__ import annotations

from trainyard.deploy.step import Outcome, Probe
from trainyard.deploy.work import Work
from trainyard.edge.aws import fsx
from trainyard.errors import TrainyardError
from trainyard.render.lustre_mount_names import existing_lustre_ids, mount_name_output


class ExistingFileSystems:
    """Asks FSx by what names the file systems of others are mounted."""

    name = "file-systems"
    title = "mount names of file systems that exist"

    def probe(self, work: Work) -> Probe:
        """Say which of them are there."""
        wanted = existing_lustre_ids(work.required_spec())
        missing = [id_ for id_ in wanted if fsx.file_system(work.account, id_) is None]
        return Probe("missing", ", ".join(missing)) if missing else Probe("there", ", ".join(wanted))

    def apply(self, work: Work) -> Outcome:
        """Return their mount names. Raises TrainyardError for one that is not there, or is not mounted as Lustre is."""
        names = {id_: _mount_name(work, id_) for id_ in existing_lustre_ids(work.required_spec())}
        outputs = {mount_name_output(id_): name for id_, name in names.items()}
        told = ", ".join(f"{id_} as {name}" for id_, name in names.items())
        return Outcome(changed=False, detail=told, outputs=outputs)

    def undo(self, work: Work) -> Outcome:
        """Leave them: they were there before."""
        del work
        return Outcome(changed=False)


def _mount_name(work: Work, id_: str) -> str:
    found = fsx.file_system(work.account, id_) or {}
    name: str | None = found.get("LustreConfiguration", {}).get("MountName")
    if not name:
        kind = f"is of type {found.get('FileSystemType')}, not Lustre" if found else f"is not in {work.account.region}"
        raise TrainyardError(
            f"file system {id_} {kind}",
            where="file_systems",
            hint="name one of FSx for Lustre in the account and region of the cluster",
        )
    return name
