"""Makes src/trainyard/catalog/lambda_runtimes.json: until when AWS Lambda supports its runtimes.

Called with aws-lambda.md of https://github.com/endoflife-date/endoflife.date, its commit, and the day of the look:

    python tools/lambda_runtimes.py aws-lambda.md a70eca337600e7d721dc48112c271f98661d208b 2026-11-22
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

TARGET = Path(__file__).parent.parent / "src" / "trainyard" / "catalog" / "lambda_runtimes.json"
_FACTS = {"deprecated": "eoas", "update_blocked": "eol"}


def main(page: Path, commit: str, day: str) -> None:
    """Write the file."""
    entries = re.split(r"\n\s+- releaseCycle:", page.read_text(encoding="utf-8"))[1:]
    runtimes = {entry.strip().partition("\n")[0].strip('" '): _dates(entry) for entry in entries}
    url = f"https://github.com/endoflife-date/endoflife.date/blob/{commit}/products/aws-lambda.md"
    source = {"what": "endoflife.date, aws-lambda.md", "url": url, "read": day}
    content = {"sources": {"endoflife-lambda": source}, "runtimes": dict(sorted(runtimes.items()))}
    TARGET.write_text(f"{json.dumps(content, indent=1)}\n", encoding="utf-8")


def _dates(entry: str) -> dict[str, str]:
    dates = {fact: re.search(rf"\n\s+{key}:\s*(\d{{4}}-\d\d-\d\d)", entry) for fact, key in _FACTS.items()}
    return {fact: match[1] for fact, match in dates.items() if match}


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
