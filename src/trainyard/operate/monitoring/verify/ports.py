"""Whether exporters are scraped where they listen. Another port answers with something else, or not at all."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.finding import Finding
from trainyard.operate.monitoring.verify.finding_kinds import finding
from trainyard.operate.monitoring.verify.subject import Situation


def ports(situation: Situation) -> Iterator[Finding]:
    """Yield one finding for each exporter that is scraped at another port than its own."""
    for exporter in situation.exporters:
        scraped = [one.labels.get("instance", "") for one in situation.targets if one.labels.get("job") == exporter.job]
        wrong = sorted({one.rpartition(":")[2] for one in scraped} - {str(exporter.port)})
        if wrong:
            message = f"{exporter.job} is scraped at port {' and '.join(wrong)}, and listens on {exporter.port}"
            yield finding("target-port-wrong", message)
