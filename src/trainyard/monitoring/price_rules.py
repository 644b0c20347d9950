"""List prices as rules, for clusters whose nodes do not tell them: those of AWS Batch run the user's own image."""

from __future__ import annotations

import json

from trainyard.launch.list_prices import list_prices
from trainyard.monitoring.prometheus_rules import RARE_INTERVAL
from trainyard.spec.cluster import Spec

# https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/parameters-section-structure.html
_LONGEST_PARAMETER_BYTES = 4096


def price_rules(spec: Spec) -> str:
    """Return rules that record the known list prices of the queues' instances, in USD an hour, as JSON.

    It is empty where none is known, and where there are more than a parameter of CloudFormation holds, which is twenty
    and more: what one half of a cluster costs would be taken for the whole.
    """
    rules = [
        {
            "record": "trainyard_instance_price_usd_per_hour",
            "expr": f"vector({price.usd_per_hour:g})",
            "labels": {
                "cluster": spec.name,
                "priced_queue": price.queue,
                "priced_instance_type": price.instance_type,
                "purchase": price.purchase,
            },
        }
        for price in list_prices(spec)
        if price.queue
    ]
    group = {"name": "trainyard-prices", "interval": RARE_INTERVAL, "rules": rules}
    text = json.dumps({"groups": [group]}, separators=(",", ":"))
    return text if rules and len(text.encode()) <= _LONGEST_PARAMETER_BYTES else ""
