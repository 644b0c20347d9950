"""The tags by which trainyard finds what it has made."""

from __future__ import annotations

from trainyard.spec.cluster import Spec

CLUSTER = "trainyard:cluster"
ENVIRONMENT = "trainyard:environment"
BUCKET = "trainyard:bucket"


def own_tags(spec: Spec) -> dict[str, str]:
    """Return the tags of everything that is made for a cluster, or for an environment."""
    if spec.is_environment:
        return {ENVIRONMENT: spec.name}
    shared = {} if spec.environment is None else {ENVIRONMENT: spec.environment}
    return {CLUSTER: spec.name, **shared}


def all_tags(spec: Spec) -> dict[str, str]:
    """Return those with the user's, and the bucket of the spec's own, which whoever has no spec could not know."""
    bucket = {} if spec.assets.bucket is None else {BUCKET: spec.assets.bucket}
    return {**spec.tags, **own_tags(spec), **bucket}
