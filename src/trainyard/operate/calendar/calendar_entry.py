"""What has a date, from what EC2, ACM and the catalog say: values in, entries out, nothing is asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, time
from typing import Any, Literal, NamedTuple

from trainyard.catalog.parallelcluster import version_in_images
from trainyard.catalog.support_ends import support_ends
from trainyard.edge.aws.ec2 import Described
from trainyard.foreign_text import word_or_quoted
from trainyard.operate.status.reservations import Reservation
from trainyard.platform_table import platform_of
from trainyard.spec.cluster import Spec

Kind = Literal[
    "reservation-start",
    "instances-taken-back",
    "reservation-end",
    "scheduled-event",
    "support-end",
    "image-created",
    "image-deprecated",
    "certificate-end",
]
# https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_InstanceStatusEvent.html
_EVENTS = {
    "instance-reboot": "reboots",
    "system-reboot": "reboots the host of",
    "system-maintenance": "maintains the host of",
    "instance-retirement": "retires",
    "instance-stop": "stops",
}
_OVER = ("expired", "cancelled", "failed", "payment-failed", "unsupported")
# ParallelCluster 3.14.2 to 3.16.1 make their functions with it, as catalog/support_ends.yaml says.
_LAMBDA = "python3.12"
_RESERVATIONS = "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-blocks-monitor.html"
_SCHEDULED = "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/viewing_scheduled_events.html"
_IMAGES = "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ami-deprecate.html"
_CERTIFICATES = "https://docs.aws.amazon.com/acm/latest/APIReference/API_CertificateDetail.html"


class CalendarEntry(NamedTuple):
    """Something with a date."""

    at: datetime
    """In UTC; of a whole day its midnight."""
    cluster: str
    kind: Kind
    subject: str
    """What it happens to: an id, an ARN or a name."""
    what: str
    source: str
    """Where it is explained."""
    whole_day: bool = False


def of_reservations(cluster: str, reservations: Iterable[Reservation]) -> Iterator[CalendarEntry]:
    """Yield when capacity begins, when its instances go, and when it ends. What is over has no more dates."""
    for reservation in reservations:
        if reservation.state in _OVER:
            continue
        is_block = reservation.kind == "capacity-block"
        noun = "Capacity Block" if is_block else "reservation"
        name = f"{noun} {reservation.id} ({reservation.total} × {reservation.instance_type})"
        whose = f"{name} of {'queue' if len(reservation.queues) == 1 else 'queues'} {', '.join(reservation.queues)}"
        moments: tuple[tuple[datetime | None, Kind, str], ...] = (
            (reservation.starts, "reservation-start", f"{whose} begins"),
            (
                reservation.gone_by if is_block else None,
                "instances-taken-back",
                f"instances of {whose} have to be gone",
            ),
            (reservation.ends, "reservation-end", f"{whose} ends"),
        )
        for moment, kind, what in moments:
            if moment is not None:
                yield CalendarEntry(moment.astimezone(UTC), cluster, kind, reservation.id, what, _RESERVATIONS)


def of_scheduled_events(
    cluster: str, events: Iterable[tuple[str, Described]], names: Mapping[str, str]
) -> Iterator[CalendarEntry]:
    """Yield what EC2 will do to instances; ``names`` says what each of them is, by its id."""
    for instance, event in events:
        if "NotBefore" not in event:
            continue
        code = event["Code"]
        act = _EVENTS.get(code, f"has scheduled {word_or_quoted(code)} for")
        why = word_or_quoted(event.get("Description") or code)
        what = f"EC2 {act} {names.get(instance, 'instance')} {instance}: {why}"
        at, id_ = event["NotBefore"].astimezone(UTC), event.get("InstanceEventId", instance)
        yield CalendarEntry(at, cluster, "scheduled-event", id_, what, _SCHEDULED)


def of_images(cluster: str, images: Mapping[str, Described], users: Mapping[str, list[str]]) -> Iterator[CalendarEntry]:
    """Yield how old machine images are, and when they count as deprecated; ``users`` says what runs on each."""
    moments: tuple[tuple[str, Kind, str], ...] = (
        ("CreationDate", "image-created", "was made"),
        ("DeprecationTime", "image-deprecated", "counts as deprecated: a newer one has the fixes"),
    )
    for id_, image in images.items():
        called = word_or_quoted(image["Name"]) if "Name" in image else "without a name"
        name = f"image {id_} ({called}) of {', '.join(users.get(id_, ['nodes']))}"
        for key, kind, what in moments:
            if image.get(key):
                at = datetime.fromisoformat(image[key])
                yield CalendarEntry(at.astimezone(UTC), cluster, kind, id_, f"{name} {what}", _IMAGES)


def of_certificate(cluster: str, arn: str, certificate: Mapping[str, Any]) -> Iterator[CalendarEntry]:
    """Yield when a certificate of Certificate Manager ends. Imported ones are renewed by nobody."""
    if "NotAfter" not in certificate:
        return
    renewal = "" if certificate.get("RenewalEligibility") == "ELIGIBLE" else "; Certificate Manager does not renew it"
    name = word_or_quoted(certificate.get("DomainName", arn))
    what = f"the certificate of {name} ends{renewal}"
    yield CalendarEntry(certificate["NotAfter"].astimezone(UTC), cluster, "certificate-end", arn, what, _CERTIFICATES)


def of_support(spec: Spec) -> Iterator[CalendarEntry]:
    """Yield until when others support what a spec is made of, as far as the catalog knows."""
    components = set(_components(spec))
    for end in support_ends():
        if end.component in components:
            at = _midnight(end.until)
            yield CalendarEntry(at, spec.name, "support-end", end.of, f"{end.of} ends", end.source, whole_day=True)


def _components(spec: Spec) -> Iterator[tuple[str, str]]:
    platform = platform_of(spec)
    if platform.has_kubernetes:
        yield "kubernetes", spec.eks.kubernetes_version
    if platform.made_by_parallelcluster:
        yield "lambda_runtimes", _LAMBDA
        yield "operating_systems", spec.image.os
        driver = version_in_images("nvidia-driver", spec.parallelcluster.version)
        if driver is not None and spec.image.ami is None:
            yield "nvidia_driver_branches", driver.least.partition(".")[0]


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)
