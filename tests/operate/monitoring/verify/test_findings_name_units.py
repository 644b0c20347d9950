"""What a finding or an alert tells people to look at on a node is there under that name."""

from __future__ import annotations

import re

from trainyard.bootstrap.steps import ASSETS
from trainyard.monitoring.alert import alerts
from trainyard.operate.monitoring.verify.finding_kinds import kinds

_NAMED = re.compile(r"(?:journalctl (?:-u |--unit=)|systemctl (?:status|start|restart) )([a-z][a-z0-9-]*)")
_OF_STEPS = re.compile(r"\b((?:trainyard|nvidia)-[a-z0-9-]+)(?:\.service|\.timer)|(?m:^NAME=)([a-z0-9-]+)")
# Those of the distributions, by which clocks are set.
_OTHERS = {"chrony", "chronyd"}


def installed() -> set[str]:
    files = [*(ASSETS / "steps").glob("*.sh"), *(ASSETS / "units").iterdir()]
    found = [match for file in files for match in _OF_STEPS.findall(f"{file.name}\n{file.read_text(encoding='utf-8')}")]
    return {name for both in found for name in both if name}


def test_every_unit_that_a_remedy_names_is_one_that_steps_install():
    told = {id_: kind.remedy for id_, kind in kinds().items()}
    told |= {alert.id: " ".join([*alert.remedy, alert.description]) for alert in alerts()}
    named = {id_: set(_NAMED.findall(text)) for id_, text in told.items()}
    assert set().union(*named.values()) >= {"trainyard-prometheus", "trainyard-node-metrics", "trainyard-keeper"}
    assert {id_: found for id_, units in named.items() if (found := units - installed() - _OTHERS)} == {}
