"""What an organisation demands of roles and policies, as the parameters that two templates take."""

from __future__ import annotations

from trainyard.spec.cluster import Spec


def iam_names(spec: Spec) -> dict[str, str]:
    """Return path and beginning of the names of roles and policies. The prefix of a spec is both in one text.

    https://docs.aws.amazon.com/parallelcluster/latest/ug/Iam-v3.html#yaml-Iam-ResourcePrefix
    """
    path, slash, name = (spec.iam.resource_prefix or "").rpartition("/")
    return {**({"IamPath": path + slash} if slash else {}), **({"IamNamePrefix": name} if name else {})}


# What a stack with roles or policies needs to be allowed. Their names are their own where the spec has a prefix, and
# the templates say so on a condition; this one covers both.
# https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_CreateStack.html
CAPABILITIES = ("CAPABILITY_NAMED_IAM",)
