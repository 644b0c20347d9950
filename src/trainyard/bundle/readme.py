"""The README of a bundle: what each file is, and how to deploy it by hand without trainyard."""

from __future__ import annotations

from trainyard.bundle.assets import PLAN
from trainyard.bundle.contents import files, from_overlay, not_locked
from trainyard.bundle.preparation import preparation
from trainyard.bundle.readme_contents import ReadmeContents
from trainyard.platform_table import platform_of
from trainyard.spec.cluster import Spec


def readme(spec: Spec, contents: ReadmeContents) -> str:
    """Return the README of a spec's bundle."""
    release = contents.release
    others = {**({} if release is None else {PLAN: release.plan}), **contents.monitoring}
    sections = (
        files(spec, contents.rendering, contents.monitoring),
        from_overlay(spec),
        not_locked(spec, contents.lock),
        preparation(spec, contents.rendering, contents.outputs, others),
        platform_of(spec).readme().steps(spec, contents),
    )
    return "\n".join(line for section in sections for line in section)
