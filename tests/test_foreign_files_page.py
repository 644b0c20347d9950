"""docs/foreign-files.md shows what `check` prints, and names every rule about files of other tools.

`python -m tests.test_foreign_files_page` writes both anew.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from trainyard.checking.any_file import check_any_file
from trainyard.cli.output import finding_text, plain
from trainyard.rules import all_document_rules

FILE = Path(__file__).parents[1] / "docs" / "foreign-files.md"
COMMAND = "$ trainyard check eksctl.yaml\n"
_OUTPUT = re.compile(re.escape(f"```console\n{COMMAND}") + r"(.*?)```", re.DOTALL)
_TABLE = re.compile(r"(\| Id \| Severity \| What it notices \|\n\|---\|---\|---\|\n).*", re.DOTALL)


def printed(page: str) -> str:
    """Return what `check` prints about the example, above its last line."""
    (example,) = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "eksctl.yaml"
        file.write_text(example, encoding="utf-8")
        findings = check_any_file(str(file)).findings
    return "".join(f"{plain(finding_text(finding._replace(file=file.name)))}\n" for finding in findings)


def table() -> str:
    """Return a row for each rule."""
    rows = ((named.id, named.severity, named.title) for named in all_document_rules())
    return "".join(f"| [`{id_}`](findings.md#{id_}) | {severity} | {title} |\n" for id_, severity, title in rows)


def written(page: str) -> str:
    """Return the page as it should be."""
    output = _OUTPUT.sub(lambda _: f"```console\n{COMMAND}{printed(page)}```", page)
    return _TABLE.sub(lambda heading: heading[1] + table(), output)


def test_the_page_shows_what_is_printed_and_names_every_rule():
    page = FILE.read_text(encoding="utf-8")
    assert page == written(page)


if __name__ == "__main__":
    FILE.write_text(written(FILE.read_text(encoding="utf-8")), encoding="utf-8")
