"""Whether instances carry the tags that discovery filters on and makes labels of."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.finding import Finding
from trainyard.operate.monitoring.verify.finding_kinds import finding
from trainyard.operate.monitoring.verify.subject import Situation


def instance_tags(situation: Situation) -> Iterator[Finding]:
    """Yield one finding for each instance whose tags hide it, or give it labels that no query asks for."""
    account = situation.account
    for instance, wrong in account.discovery.checked_tags(account) if account is not None else ():
        situation.looked_at["instances"] += 1
        for tag, value, expected in wrong:
            written = f"has {value!r} in tag {tag}" if value else f"lacks tag {tag}"
            yield finding("instance-tag-wrong", f"{instance.id} {written}; discovery wants {expected}")
