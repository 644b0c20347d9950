"""What nodes fetch when they start: uploaded to the cluster's folder before the cluster is made."""

from __future__ import annotations

from trainyard.bundle.assets import release_of, uploads
from trainyard.bundle.release import Release as Published
from trainyard.counts import count_text
from trainyard.deploy.step import Probe, StepOutcome
from trainyard.deploy.work import Work, folder
from trainyard.edge.aws import s3
from trainyard.errors import TrainyardError


class ReleaseStep:
    """Uploads the launcher and the release, and points to it. Releases are named by their content and stay."""

    name = "release"
    title = "what nodes fetch when they start"

    def probe(self, work: Work) -> Probe:
        """Say whether all of it is there as it should be."""
        missing = [
            name for name, content in uploads(release_so_far(work)).items() if _is_uploaded(work, name) != content
        ]
        return Probe("missing", ", ".join(missing)) if missing else Probe("there")

    def apply(self, work: Work) -> StepOutcome:
        """Upload what is missing or different, the pointer last: what it names is there by then."""
        uploaded = []
        for name, content in uploads(final_release(work)).items():
            if _is_uploaded(work, name) == content:
                continue
            key = f"{folder(work.name)}/{name}"
            s3.put(work.account, work.bucket, key, content)
            work.tell(f"s3://{work.bucket}/{key} uploaded")
            uploaded.append(name)
        work.findings += work.untold
        return StepOutcome(changed=bool(uploaded), detail=f"{count_text(len(uploaded), 'file')} uploaded")

    def undo(self, work: Work) -> StepOutcome:
        """Do nothing: the folder goes with the step that made the bucket, when no node needs it any more."""
        del work
        return StepOutcome(changed=False)


def final_release(work: Work) -> Published | None:
    """Return the release as the nodes are to run it, None where they run none.

    Raises TrainyardError where a stand-in is left in it.
    """
    release = release_so_far(work)
    if release is not None and release.stand_ins:
        missing = release.stand_ins[0]
        raise TrainyardError(f"nothing says what {missing.output} is: {missing.what}", where=missing.value)
    return release


def release_so_far(work: Work) -> Published | None:
    """Return the same, with stand-ins for what stacks have still to make: no node runs it then."""
    return release_of(work.required_spec(), work.assets_lock, work.outputs)


def _is_uploaded(work: Work, name: str) -> bytes | None:
    object_ = s3.get(work.account, work.bucket, f"{folder(work.name)}/{name}")
    return None if object_ is None else object_.content
