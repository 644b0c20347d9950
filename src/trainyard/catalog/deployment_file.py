"""Validates the catalog's files that only deployments ask; a check is spared loading what they hold."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Literal

from trainyard.catalog.asset import Asset, AssetVersion
from trainyard.catalog.catalog_file import FOLDER
from trainyard.catalog.kubernetes_version import Date
from trainyard.catalog.source import Source
from trainyard.field import Above, Count, Text
from trainyard.record import Record, validator_of

if TYPE_CHECKING:
    from pydantic_core import SchemaValidator

COMPILED = FOLDER / "compiled_deployment.json"


Usd = Annotated[float, Above("a price in USD such as 0.08", 0)]
ComputeCapability = Annotated[str, Text(r"^[1-9][0-9]{1,2}$", "a compute capability without its dot, such as 90")]
"""What NVIDIA calls the generation of a GPU, as compilers want it: 90 for compute capability 9.0."""


class ParallelClusterImage(Record):
    """The official images of an operating system."""

    os: str
    """As ParallelCluster spells it: ubuntu2204."""
    name_part: str
    """How the operating system is called in the names of images."""
    published: bool
    """Whether there are official images at all."""
    reservation_platform: str
    """Platform of the capacity reservations that its instances can use."""


class ServiceQuota(Record):
    """A quota, and what it counts."""

    name: str
    """Our own word for it: on-demand-p."""
    service: str
    """As Service Quotas spells it: ec2."""
    code: Annotated[str, Text(r"^L-[0-9A-F]{8}$", "a quota code such as L-417A185B")]
    """The same in every region and account."""
    at_first: Count
    """What AWS gives a new account."""
    purchase: Literal["on-demand", "spot"] | None = None
    """For vCPUs: how the instances are bought."""
    letters: tuple[str, ...] = ()
    """For vCPUs: the families of instances, by what stands before the first digit of their names."""


UpdateNeed = Literal[
    "live",
    "queue-update-strategy",
    "terminate-or-fleet-stop",
    "fleet-stop",
    "login-stop",
    "fleet-and-login-stop",
    "unsupported",
]
"""In this order: nothing; a stopped fleet, or any queue update strategy but COMPUTE_FLEET_STOP; a stopped fleet, or the
strategy TERMINATE; a stopped fleet; no login nodes; neither fleet nor login nodes; a new cluster."""


class SupportPeriod(Record):
    """Until when somebody supports something."""

    until: Date
    """The last day of support."""


class UpstreamPackage(Record):
    """A package by whose newest version one sees that something has changed upstream."""

    name: str
    """What the registry calls it."""
    registry: Literal["pypi"]
    """The registry: the id of its source."""
    seen: AssetVersion
    """The newest version at the last look."""
    about: str
    """What may have changed, and where the catalog has it."""


class DeploymentFile(Record):
    """The content of a catalog file that deployments ask, with the facts already merged."""

    sources: dict[str, Source]
    """Source id to source."""
    service_quotas: dict[str, ServiceQuota] | None = None
    """service_quotas.yaml, one section of it."""
    official_images: dict[str, ParallelClusterImage] | None = None
    """parallelcluster_images.yaml, by operating system."""
    prices: dict[str, Usd] | None = None
    """instance_prices.json or the services of prices.yaml, one region."""
    price_ranges: dict[str, tuple[Usd, Usd]] | None = None
    """The Capacity Blocks of prices.yaml, one region."""
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
    support_ends: dict[str, SupportPeriod] | None = None
    """support_ends.yaml, one section of it."""
    upstream_packages: tuple[UpstreamPackage, ...] | None = None
    """upstream_packages.yaml."""
    gpu_fabrics: dict[str, Literal["fabric-manager", "nvlsm"]] | None = None
    """gpu_fabrics.yaml, by the vendor's name of the GPU."""


def validated(file: dict[str, Any]) -> DeploymentFile:
    """Return the records of a file. Raises pydantic-core's ValidationError: an error in our own data is a bug."""
    record: DeploymentFile = _validator().validate_python(file)
    return record


@cache
def _validator() -> SchemaValidator:
    return validator_of(DeploymentFile, COMPILED)
