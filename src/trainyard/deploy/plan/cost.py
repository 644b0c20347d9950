"""What a cluster will cost an hour, at list prices and as far as they are known."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from trainyard.catalog import prices
from trainyard.catalog.prices import Price
from trainyard.catalog.storage import openzfs_deployment
from trainyard.deploy.plan.cost_line import CostLine, by_the_hour, by_the_month, public_addresses, volume_lines
from trainyard.monitoring.amp_price import KEPT_DAYS, SAMPLES_A_UNIT, AmpPrice, amp_price, stored_price, tiers
from trainyard.monitoring.sizing import Sizing, sizings
from trainyard.platform_table import platform_of
from trainyard.render.cloudformation.network import has_load_balancer
from trainyard.spec.cluster import Spec
from trainyard.spec.file_system import Ebs, Efs, IntelligentTiering, Lustre, OpenZfs

# What no estimate can know beforehand. It is part of every bill and of no line.
NOT_COUNTED = "traffic, S3, CloudWatch logs and detailed monitoring, backups, requests, Secrets Manager and KMS"
_WITHOUT_TRAFFIC = "without the traffic through it"
_WHILE_IT_EXISTS = "while the file system exists, however full it is"
_UNKNOWN = "by samples taken in, stored and queried, which nobody knows beforehand"
# The one whose prices can be cited.
_PUBLIC_REGION = "us-east-1"
# The default of MonitoringRootGiB in the template of the monitoring stack.
_ROOT_GIB = 30
_BILLION = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Cost:
    """An estimate. Totals are without what has no known price: whoever shows one names that beside it."""

    lines: tuple[CostLine, ...]

    @property
    def least_usd_per_hour(self) -> float:
        """With every queue at its fewest nodes, without what is unknown; reservations count whole."""
        return sum(line.least_usd_per_hour or 0 for line in self.lines)

    @property
    def most_usd_per_hour(self) -> float:
        """With every queue at its most nodes, without what is unknown."""
        return sum(line.most_usd_per_hour or 0 for line in self.lines)

    @property
    def unknown(self) -> tuple[CostLine, ...]:
        """The lines without a price, as far as they count anything."""
        return tuple(line for line in self.lines if line.usd_per_hour_each is None and line.most > 0)

    @property
    def caveat(self) -> str:
        """Of when its prices are, and what they leave out."""
        dates = sorted({line.source_date for line in self.lines if line.source_date})
        of = " to ".join(dict.fromkeys((dates[0], dates[-1]))) if dates else "no known date"
        return f"List prices of {of}. They change, and discounts, plans and taxes differ by account."


def hourly_cost(spec: Spec) -> Cost:
    """Return what the cluster and the stacks beside it cost an hour while they exist."""
    cluster = platform_of(spec).plan().cost_lines(spec)
    return Cost((*cluster, *_storage(spec), *_network(spec), *_monitoring(spec)))


def _storage(spec: Spec) -> Iterator[CostLine]:
    """Yield the lines of every file system to be made."""
    for file_system in spec.file_systems:
        match file_system.settings:
            case Lustre(id=None) as lustre:
                yield from _lustre(file_system.mount, lustre, spec.region)
            case OpenZfs(id=None) as openzfs:
                yield from _openzfs(file_system.mount, openzfs, spec.region)
            case Ebs(id=None) as ebs:
                yield from volume_lines(f"{file_system.mount}, EBS volume", ebs, spec.region, (1, 1))
            case Efs(id=None) as efs:
                yield from _efs(file_system.mount, efs, spec.region)
            case _:
                continue


def _lustre(mount: str, lustre: Lustre, region: str) -> Iterator[CostLine]:
    if lustre.intelligent_tiering is not None:
        yield from _tiered_lustre(mount, lustre.intelligent_tiering)
    else:
        yield _lustre_storage(mount, lustre, region)
    if isinstance(iops := lustre.metadata_iops_or_default, int):
        yield by_the_month(f"{mount}, metadata IOPS", "IOPS", _once(iops), None, _WHILE_IT_EXISTS)


def _tiered_lustre(mount: str, tiering: IntelligentTiering) -> Iterator[CostLine]:
    what = f"{mount}, FSx for Lustre, Intelligent-Tiering"
    yield by_the_month(f"{what}, throughput", "MB/s", _once(tiering.throughput_mb_s), None, _WHILE_IT_EXISTS)
    yield by_the_month(f"{what}, files", "file system", (1, 1), None, "by what is stored, read and written")


def _lustre_storage(mount: str, lustre: Lustre, region: str) -> CostLine:
    throughput = lustre.throughput_mb_s_per_tib
    tier = lustre.deployment if throughput is None else f"{lustre.deployment}_{throughput}"
    price = prices.service(f"lustre_{tier}_gib_month", region)
    what = f"{mount}, FSx for Lustre, {lustre.deployment}"
    what = what if throughput is None else f"{what} with {throughput} MB/s/TiB"
    return by_the_month(what, "GiB", _once(lustre.size_gib or 0), price, f"{_WHILE_IT_EXISTS}; without backups")


def _openzfs(mount: str, openzfs: OpenZfs, region: str) -> Iterator[CostLine]:
    what = f"{mount}, FSx for OpenZFS, {openzfs.deployment}"
    storage = prices.service(f"openzfs_{openzfs.deployment}_gib_month", region)
    yield by_the_month(what, "GiB", _once(openzfs.size_gib or 0), storage, f"{_WHILE_IT_EXISTS}; without backups")
    offer = openzfs_deployment(openzfs.deployment)
    mb_s = openzfs.throughput_mb_s or (0 if offer is None else min(offer.throughputs_mb_s))
    throughput = prices.service(f"openzfs_{openzfs.deployment}_mb_s_month", region)
    yield by_the_month(f"throughput of {mount}, FSx for OpenZFS", "MB/s", _once(mb_s), throughput, _WHILE_IT_EXISTS)


def _efs(mount: str, efs: Efs, region: str) -> Iterator[CostLine]:
    each = _each(prices.service("efs_gib_month", region), "a GiB and month")
    basis = f"by what is stored, which nobody knows beforehand{each}"
    yield by_the_month(f"{mount}, EFS", "file system", (1, 1), None, basis)
    if efs.throughput_mib_s is not None:
        price = prices.service("efs_mb_s_month", region)
        basis = "provisioned, beyond what comes with the stored files"
        yield by_the_month(f"throughput of {mount}, EFS", "MB/s", _once(efs.throughput_mib_s), price, basis)


def _each(price: Price | None, measure: str) -> str:
    """Return what one of something costs whose number nobody knows; nothing where no public source says it."""
    return "" if price is None else f"; USD {price.usd:g} {measure}"


def _once(amount: int) -> tuple[int, int]:
    return amount, amount


def _network(spec: Spec) -> Iterator[CostLine]:
    """Yield what a network of the cluster's own costs."""
    if spec.network.existing is not None or spec.environment is not None:
        return
    if spec.network.internet == "none":
        each = _each(prices.service("interface_endpoint_hour", spec.region), "an hour each")
        basis = f"each endpoint in each zone, and its traffic{each}"
        yield by_the_hour("interface endpoints", "network", (1, 1), None, basis)
        return
    gateway = prices.service("nat_gateway_hour", spec.region)
    yield by_the_hour("NAT gateway", "gateway", (1, 1), gateway, _WITHOUT_TRAFFIC)
    yield public_addresses("address of the NAT gateway", spec.region, 1)


def _monitoring(spec: Spec) -> Iterator[CostLine]:
    """Yield what keeps the metrics. In an environment that is shared, and what a cluster sends there is its own."""
    match spec.monitoring.mode:
        case "self-hosting":
            yield from () if spec.environment is not None else _self_hosted(spec)
        case "amp-only":
            yield from amp_lines(spec)
        case "amp+amg":
            yield from amp_lines(spec)
            yield from () if spec.environment is not None else (_editor(spec),)


def _self_hosted(spec: Spec) -> Iterator[CostLine]:
    instance = prices.instance_hour(spec.monitoring.instance_type, spec.region)
    what = f"instance with Prometheus and Grafana, {spec.monitoring.instance_type}"
    yield by_the_hour(what, "instance", (1, 1), instance, "on demand, always")
    if has_load_balancer(spec):
        balancer = prices.service("application_load_balancer_hour", spec.region)
        yield by_the_hour("load balancer of Grafana", "load balancer", (1, 1), balancer, _WITHOUT_TRAFFIC)
        if spec.network.internet == "nat":
            yield public_addresses("addresses of the load balancer of Grafana", spec.region, 2)
    gib = prices.service("ebs_gp3_gib_month", spec.region)
    what, basis = "disk of the instance with Prometheus and Grafana, gp3", "while the instance exists"
    yield by_the_month(what, "GiB", _once(_ROOT_GIB), gib, basis)
    if spec.monitoring.volume_id is None:
        what, basis = (
            "volume with metrics and Grafana's database, gp3",
            "while the volume exists, also without the stack",
        )
        yield by_the_month(what, "GiB", _once(spec.monitoring.volume_gib), gib, basis)


def _editor(spec: Spec) -> CostLine:
    price = prices.service("grafana_editor_month", spec.region)
    basis = "by the people who use it in a month; counted with the one editor that every workspace has"
    return by_the_month("Amazon Managed Grafana", "editor", (1, 1), price, basis)


def amp_lines(spec: Spec) -> Iterator[CostLine]:
    """Yield what comes in and what is kept, with the fewest and with the most nodes; one of unknown price elsewhere."""
    least, most = (_price(sizing, spec.region) for sizing in sizings(spec))
    if spec.is_environment or least is None or most is None:
        basis = _UNKNOWN if spec.is_environment else _elsewhere(spec)
        yield by_the_month("Amazon Managed Prometheus", "workspace", (1, 1), None, basis)
        return
    month = f"{_month(least, most)} a month in all"
    for first, up_to, price in tiers(spec.region):
        counts = (_between(least.samples_month, first, up_to), _between(most.samples_month, first, up_to))
        if counts[1]:
            beyond = f" beyond {first / _BILLION:,g} billion" if first else ""
            what = f"samples in Amazon Managed Prometheus{beyond}"
            yield by_the_month(what, "ten million samples a month", counts, price, f"{month}; queries cost besides")
    yield _stored(spec, least, most)


def _elsewhere(spec: Spec) -> str:
    """Return what a region without public prices would cost where they are known."""
    least, most = (_price(sizing, _PUBLIC_REGION) for sizing in sizings(spec))
    if least is None or most is None:
        return _UNKNOWN
    would = f"in {_PUBLIC_REGION} it would be {_month(least, most)} a month, and queries besides"
    return f"no public source has the prices of {spec.region}; {would}"


def _month(least: AmpPrice, most: AmpPrice) -> str:
    prices = dict.fromkeys(f"{price.usd_month:,.2f}" for price in (least, most))
    return f"USD {' to '.join(prices)}"


def _price(sizing: Sizing, region: str) -> AmpPrice | None:
    return None if sizing.samples_per_s is None else amp_price(sizing.samples_per_s, region)


def _between(samples: float, first: float, up_to: float | None) -> float:
    within = max(0.0, (samples if up_to is None else min(samples, up_to)) - first)
    return round(within / SAMPLES_A_UNIT, 1)


def _stored(spec: Spec, least: AmpPrice, most: AmpPrice) -> CostLine:
    counts = (round(least.stored_gib, 1), round(most.stored_gib, 1))
    basis = f"once the workspace is {KEPT_DAYS} days old, which is how long it keeps them"
    return by_the_month("samples kept by Amazon Managed Prometheus", "GiB", counts, stored_price(spec.region), basis)
