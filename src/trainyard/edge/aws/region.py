"""The region that the environment or the AWS configuration names, where nothing closer to the user does."""

from __future__ import annotations

import os

from botocore.session import Session

from trainyard.edge.aws.errors import aws_errors


def configured_region(profile: str | None = None) -> str | None:
    """Return the region in the order of the AWS CLI: AWS_REGION, AWS_DEFAULT_REGION, the profile; None without one.

    An empty variable counts as unset. The profile is this one, else that of AWS_PROFILE, else ``default``.
    Raises TrainyardError where the AWS configuration has no such profile.
    https://docs.aws.amazon.com/cli/latest/userguide/cli-configure-envvars.html
    """
    # botocore does not read AWS_REGION, and takes an empty AWS_DEFAULT_REGION for one.
    if region := os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION"):
        return region
    with aws_errors("the AWS configuration"):
        configured: str | None = Session(profile=profile).get_scoped_config().get("region")
    return configured or None
