"""How the hosts under the nodes of a cluster are printed, and the same as values for JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trainyard.cli.output import print_text
from trainyard.counts import count_text
from trainyard.foreign_text import quoted, word_or_quoted

if TYPE_CHECKING:
    from trainyard.operate.nodes.host_history import Host, HostHistory, HostStay


def print_history(history: HostHistory) -> None:
    """Print each host with the instances that it had, the last one first."""
    for host in history.hosts:
        print_text(_host_line(host))
        for stay in reversed(host.stays):
            print_text(f"  {_stay_line(stay)}")
    if history.unknown:
        print_text(f"where in EC2's network they are is not known: {history.unknown}")
    returned = sum(host.returned for host in history.hosts)
    known = sum(bool(host.gpus) for host in history.hosts)
    print_text(
        f"{history.name} in {history.region}: {count_text(known, 'host')} known by GPUs, "
        f"{count_text(len(history.hosts) - known, 'instance')} without, {returned} there again after trouble"
    )


def _host_line(host: Host) -> str:
    bad = sum(stay.is_bad for stay in host.stays)
    more = f" and {len(host.gpus) - 1} more" if len(host.gpus) > 1 else ""
    name = f"host with {host.gpus[0]}{more}" if host.gpus else "host that is not known by GPUs"
    count = f"{count_text(len(host.stays), 'instance')}, {bad} with trouble"
    doubt = "; several instances say that they have its GPUs, so some of them are wrong" if host.doubtful else ""
    return f"{name}: {count}{'; it is there again' if host.returned else ''}{doubt}"


def _stay_line(stay: HostStay) -> str:
    place = f" under {' > '.join(map(word_or_quoted, stay.network_nodes))}" if stay.network_nodes else ""
    replaced = f"; replaced for {quoted(stay.replaced_for)}" if stay.replaced_for else ""
    name = f" as {word_or_quoted(stay.node)}" if stay.node else ""
    return f"{stay.began or 'unknown time'}  {stay.instance_id}{name}: {stay.state}, {stay.status}{place}{replaced}"


def history_values(history: HostHistory) -> dict[str, Any]:
    """Return the hosts as values for JSON."""
    return {
        "name": history.name,
        "region": history.region,
        "hosts": [_host_values(host) for host in history.hosts],
        "network_unknown": history.unknown or None,
    }


def _host_values(host: Host) -> dict[str, Any]:
    stays = [{**stay._asdict(), "replaced_for": stay.replaced_for or None} for stay in host.stays]
    return {"gpus": list(host.gpus), "returned": host.returned, "doubtful": host.doubtful, "instances": stays}
