"""The cases of alerts/<id>.yaml, as the file that `promtool test rules` takes.

A case gives series in promtool's notation, one sample a minute, the time `at` which is looked, and what `fires` then:
the labels of each, and its summary written out. That no other alert fires is part of every case, but for those that say
the same `besides` and that Alertmanager holds back.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import yaml

from trainyard.monitoring.alert import Alert, alerts
from trainyard.monitoring.alert_panel import alert_panel
from trainyard.monitoring.grafana_files import stable_id

FOLDER = Path(__file__).with_name("alerts")
# What tells that anything is scraped at all. A case with an `up` of that job has its own.
ALIVE = 'up{job="prometheus", instance="localhost:9090"}'
Case = dict[str, Any]


def cases_of(id_: str) -> list[Case]:
    found: list[Case] = yaml.safe_load((FOLDER / f"{id_}.yaml").read_text(encoding="utf-8"))
    return found


def promtool_file(rules: Path, id_: str) -> dict[str, Any]:
    return {
        "rule_files": [str(rules)],
        "evaluation_interval": "1m",
        "tests": [_test(id_, case) for case in cases_of(id_)],
    }


def _test(id_: str, case: Case) -> dict[str, Any]:
    alive = {} if any(series.startswith('up{job="prometheus"') for series in case["series"]) else {ALIVE: "1x200"}
    series = {**alive, **_host_names(case), **case["series"]}
    return {
        "name": case["name"],
        "interval": "1m",
        "input_series": [{"series": name, "values": values} for name, values in series.items()],
        "alert_rule_test": [
            {
                "eval_time": case["at"],
                "alertname": alert.id,
                "exp_alerts": [_expected(alert, fired) for fired in case["fires"]] if alert.id == id_ else [],
            }
            for alert in alerts()
            if alert.id not in case.get("besides", ())
        ],
    }


def _host_names(case: Case) -> dict[str, str]:
    """Return what names the host of each instance of the case, where the case itself names none: i-1 is gpu-st-p5-1."""
    named = " ".join(name for name in case["series"] if name.startswith("node_uname_info"))
    ids = {id_ for name in case["series"] for id_ in re.findall(r'instance_id="(i-\w+)"', name) if id_ not in named}
    return {
        f'node_uname_info{{cluster="c", instance_id="{id_}", nodename="gpu-st-p5-{id_[2:]}.c.pcluster"}}': "1x600"
        for id_ in sorted(ids)
    }


def _expected(alert: Alert, fired: dict[str, Any]) -> dict[str, Any]:
    return {
        "exp_labels": {**fired["labels"], "severity": alert.severity},
        "exp_annotations": {
            "summary": fired["summary"],
            "description": re.sub(
                r"{{ \$labels\.(\w+) }}", lambda label: str(fired["labels"].get(label[1], "")), alert.description
            ),
            "runbook": f"trainyard explain {alert.id}, or docs/alerts.md#{alert.id}",
            **_where(alert, fired["labels"]),
        },
    }


def _where(alert: Alert, labels: dict[str, str]) -> dict[str, str]:
    """Return what an alert says of its panel, with the values of variables that it names as Grafana reads them."""
    dashboard, panel = alert_panel(alert)
    shown = f"trainyard monitor view {labels['cluster']}" if "cluster" in labels else "trainyard monitor view"
    names = {"cluster": "cluster", "node": "node_name", "job": "jobid"}
    values = {
        f"var-{name}": labels[label] for name, label in names.items() if label in labels and name in dashboard.variables
    }
    fields = urlencode({"viewPanel": f"panel-{stable_id(panel.id)}", **values})
    return {
        "panel": f'"{panel.title}" of the dashboard "{dashboard.title}"; {shown} shows it',
        "panel_url": f"/d/trainyard-{dashboard.id}?{fields}",
    }
