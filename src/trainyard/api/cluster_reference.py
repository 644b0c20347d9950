"""Which cluster a command is about: a name or a spec file, and the account and region that it is in."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from trainyard.edge.aws.account import Account, account
from trainyard.edge.aws.region import configured_region
from trainyard.edge.text_file import read_text
from trainyard.errors import FindingsError, InputError
from trainyard.rehearsal.kept_rehearsal import current_rehearsal
from trainyard.spec.parsing import parse

if TYPE_CHECKING:
    from trainyard.spec.cluster import Spec


class ClusterReference(NamedTuple):
    """A cluster or environment as somebody named it; whether there is one is for AWS to say."""

    name: str
    account: Account
    bucket: str | None
    """The assets.bucket of the spec, where a spec named the cluster and has its own."""
    spec: Spec | None
    """The spec that named the cluster."""


def cluster_reference(written: str, region: str | None = None, profile: str | None = None) -> ClusterReference:
    """Return the cluster that a name or a spec file means.

    The region is that of the spec, else the one that is given, else that of the environment or the profile.
    Raises FindingsError where the file is no spec, InputError where the region contradicts it or nothing says which
    region, and TrainyardError where there is no such profile.
    """
    if not names_file(written):
        return ClusterReference(written, account_in(region, profile), None, None)
    spec = parse(read_text(written), written).spec
    where = account_at(region_of_spec(spec, written, region), profile)
    return ClusterReference(spec.name, where, spec.assets.bucket, spec)


def names_file(written: str) -> bool:
    """Return whether this is the name of a file. Names of clusters have no dot and no slash."""
    return written == "-" or "." in written or os.sep in written


def is_spec_file(written: str) -> bool:
    """Return whether this is a file that holds a spec, among other files that a command takes."""
    if not (written.endswith((".yaml", ".yml")) and Path(written).is_file()):
        return False
    try:
        parse(read_text(written), written)
    except FindingsError:
        return False
    return True


def region_of_spec(spec: Spec, file: str, region: str | None) -> str:
    """Return the region of a spec. Raises InputError where another one is given beside it."""
    if region is not None and region != spec.region:
        raise InputError(
            f"{file} says {spec.region}, and --region says {region}",
            where="--region",
            hint="leave --region out, or name the spec of the other region",
        )
    return spec.region


def account_in(region: str | None = None, profile: str | None = None) -> Account:
    """Return the account in this region, by default the one that the environment or the profile says.

    Raises InputError where nothing says which, TrainyardError where there is no such profile.
    """
    chosen = region or configured_region(profile)
    if chosen is None:
        raise InputError(
            "nothing says which region",
            where="--region",
            hint="name the spec file, give --region, set AWS_REGION, or write a region into the AWS profile",
        )
    return account_at(chosen, profile)


def account_at(region: str, profile: str | None = None) -> Account:
    """Return the account in a region: that of AWS, or of the kept rehearsal that the environment leads to.

    Raises InputError for a profile, which would lead out of the rehearsal, and TrainyardError where that has ended.
    """
    kept = current_rehearsal()
    if kept is None:
        return account(region, profile)
    if profile is not None:
        hint = "leave it out, or use a shell in which the variables of the rehearsal are not set"
        problem = f"the kept rehearsal {kept.name} has no profile {profile}"
        raise InputError(problem, where="--profile", hint=hint)
    return replace(kept.account, region=region)
