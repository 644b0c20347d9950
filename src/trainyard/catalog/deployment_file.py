"""Validates the catalog's files that only deployments ask; a check is spared loading what they hold."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from trainyard.catalog.asset import Asset
from trainyard.catalog.catalog_file import FOLDER
from trainyard.catalog.compute_capability import ComputeCapability
from trainyard.catalog.parallelcluster_image import ParallelClusterImage
from trainyard.catalog.price import Usd
from trainyard.catalog.service_quota import ServiceQuota
from trainyard.catalog.source import Source
from trainyard.catalog.update_need import UpdateNeed
from trainyard.record import Record, validator_of

if TYPE_CHECKING:
    from pydantic_core import SchemaValidator

COMPILED = FOLDER / "compiled_deployment.json"


class DeploymentFile(Record):
    """The content of a catalog file that deployments ask, with the facts already merged."""

    sources: dict[str, Source]
    """Source id to source."""
    service_quotas: dict[str, ServiceQuota] | None = None
    """service_quotas.yaml, one section of it."""
    official_images: dict[str, ParallelClusterImage] | None = None
    """parallelcluster_images.yaml, by operating system."""
    prices: dict[str, Usd] | None = None
    """prices.yaml, one region of a section."""
    update_policies: dict[str, str] | None = None
    """update_policies.yaml, for one version line."""
    update_needs: dict[str, UpdateNeed] | None = None
    """update_policies.yaml, by policy."""
    replaced_properties: dict[str, tuple[str, ...]] | None = None
    """update_policies.yaml, by CloudFormation type."""
    assets: dict[str, Asset] | None = None
    """assets.yaml."""
    compute_capabilities: dict[str, ComputeCapability] | None = None
    """compute_capabilities.yaml, by the vendor's name of the GPU."""
    gpu_fabrics: dict[str, Literal["fabric-manager", "nvlsm"]] | None = None
    """gpu_fabrics.yaml, by the vendor's name of the GPU."""


def validated(file: dict[str, Any]) -> DeploymentFile:
    """Return the records of a file. Raises pydantic-core's ValidationError: an error in our own data is a bug."""
    record: DeploymentFile = _validator().validate_python(file)
    return record


@cache
def _validator() -> SchemaValidator:
    return validator_of(DeploymentFile, COMPILED)
