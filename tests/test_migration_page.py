"""docs/migration.md is complete and true: every documented variable stands there once, and every setting works."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.each_case import each_case
from tests.oracle.pcluster import errors, validate_configs
from trainyard.api.new import new_spec
from trainyard.architectures import all_architectures
from trainyard.checking.spec_file import rule_findings
from trainyard.document.read import read_yaml
from trainyard.document.write import yaml_text
from trainyard.edge.pcluster import ClusterConfig
from trainyard.finding import Path as SpecPath
from trainyard.render.rendering import render
from trainyard.spec.cluster import Spec
from trainyard.spec.parsing import ParsedSpec, known_keys, parse

HERE = Path(__file__).parent
PAGE = (HERE.parent / "docs" / "migration.md").read_text(encoding="utf-8")
FREE_MAPPINGS = ("parallelcluster.slurm.settings", "stack_overlays.network.parameters")
DOTTED = re.compile(r"`([a-z_]+(?:\[\d\])?(?:\.[a-z_]+(?:\[\d\])?)+)(?:[:=][^`]*)?`")
PATHS_IN_THE_TEXT = sorted({path for path in DOTTED.findall(PAGE) if not path.endswith((".sh", ".yaml", ".md", ".py"))})


def data(name: str) -> dict[str, Any]:
    """Return what a file of the architectures' tests holds."""
    value: dict[str, Any] = read_yaml((HERE / "architectures" / name).read_text(encoding="utf-8"), name).value
    return value


DOCUMENTED = {
    section: [name for line in lines for name in line] for section, lines in data("documented_variables.yaml").items()
}
TOGETHER = data("settings_together.yaml")


class Row(NamedTuple):
    """A row of a table: what stands in the template, and the setting that takes its place."""

    section: str
    variables: tuple[str, ...]
    setting: str | None
    note: str

    @property
    def path(self) -> SpecPath:
        """Return the place in the spec that the setting sets."""
        steps = re.findall(r"\[([0-9]+)\]|([^.\[\]]+)", (self.setting or "").partition("=")[0])
        return tuple(int(index) if index else key for index, key in steps)


def config_of(spec: Spec) -> ClusterConfig:
    """Return what ParallelCluster reads of a spec."""
    return ClusterConfig(yaml_text(render(spec, {}).documents["cluster.yaml"]), spec.name, spec.region)


def section_of(heading: str) -> str:
    """Return what stands below a heading of the page."""
    return re.split(r"^##+ ", PAGE.split(f"\n### {heading}\n")[1], maxsplit=1, flags=re.MULTILINE)[0]


def rows_of(section: str) -> list[Row]:
    """Return the rows of the table in a section."""
    cells = [line.strip("| ").split(" | ") for line in section_of(section).splitlines() if line.startswith("| `")]
    return [
        Row(
            section,
            tuple(re.findall(r"`([^`]+)`", names)),
            match[1] if (match := re.match(r"`(.+)`$", second)) else None,
            rest[0] if rest else second,
        )
        for names, second, *rest in cells
    ]


ROWS = [row for section in DOCUMENTED for row in rows_of(section)]
SET = [row for row in ROWS if row.setting]
EACH_SETTING = pytest.mark.parametrize("row", SET, ids=lambda row: f"{row.section}: {row.variables[0]}")
OF_THE_PLACEHOLDERS = (
    "distributed-training-gpu",
    "distributed-training-p4de-custom-ami",
    "distributed-training-p4de-postinstall-scripts",
    "distributed-training-p4de-batch-inference-g5-custom-ami",
    "distributed-training-trn1-custom-ami",
)
ARCHITECTURES = {
    "Placeholders of the templates": OF_THE_PLACEHOLDERS,
    "Variables of the runbook": ("p5-observability",),
}
OF_THE_SCRIPT = ("p5en-monitoring", "p6-b200-monitoring")


@pytest.mark.parametrize("section", DOCUMENTED)
def test_every_documented_variable_stands_in_its_table_exactly_once(section: str):
    written = [name for row in rows_of(section) for name in row.variables]
    assert sorted(written) == sorted(DOCUMENTED[section])


def test_every_row_says_what_changed_or_why_there_is_no_field():
    assert [row for row in ROWS if not re.match(r"[A-Za-z0-9`[]", row.note)] == []


def test_no_setting_that_exists_is_said_to_be_missing():
    without = [row for row in ROWS if row.setting is None]
    assert not [row.variables for row in without if "yet" in row.note.split()]
    assert "yet" not in re.findall(r"\w+", PAGE)  # tests/render/test_every_field.py: every field reaches the bundle


def test_every_architecture_is_named():
    assert [architecture.name for architecture in all_architectures() if f"`{architecture.name}`" not in PAGE] == []


@EACH_SETTING
def test_the_path_of_a_setting_is_one_of_the_spec(row: Row):
    *parents, key = row.path if isinstance(row.path[-1], str) else row.path[:-1]
    assert key in known_keys(tuple(parents)) or ".".join(map(str, parents)) in FREE_MAPPINGS


def specs_with(row: Row) -> dict[str, ParsedSpec]:
    """Return the specs that a setting gives, by the architectures that the row's template became."""
    together = next((others for start, others in TOGETHER.items() if str(row.setting).startswith(start)), ())
    return {
        name: parse(new_spec(name, [*together, str(row.setting)]), name)
        for name in ARCHITECTURES.get(row.section, OF_THE_SCRIPT)
    }


@EACH_SETTING
def test_a_setting_works_on_every_architecture_that_its_template_became(row: Row):
    for parsed in specs_with(row).values():
        assert parsed.document.root.at(row.path).value == read_yaml(str(row.setting).partition("=")[2], "value").value
        assert [finding for finding in rule_findings(parsed) if finding.severity == "error"] == []


@pytest.mark.exhaustive
def test_parallelcluster_validates_what_every_setting_gives():
    made = {(row.setting, name): config_of(one.spec) for row in SET for name, one in specs_with(row).items()}
    found = validate_configs(list(made.values()), version="3.16.1")
    assert {case: wrong for case, failures in zip(made, found, strict=True) if (wrong := errors(failures))} == {}


@pytest.mark.parametrize(
    "block", re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL), ids=lambda text: text.split()[3]
)
def test_an_example_prints_what_it_shows(block: str, tmp_path: Path):
    program = f'trainyard() {{ "{sys.executable}" -m trainyard "$@"; }}\n'
    for step in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, shown = re.sub(r"(?<!\\)\n", "\0", step, count=1).partition("\0")
        done = subprocess.run(
            ["bash", "-c", program + command], cwd=tmp_path, capture_output=True, encoding="utf-8", check=False
        )
        assert (done.stdout, done.stderr) == (shown, "")


@each_case("path", PATHS_IN_THE_TEXT)
def test_a_path_in_the_text_is_one_of_the_spec(path: str):
    *parents, key = re.sub(r"\[\d\]", ".0", path).split(".")
    steps = tuple(int(step) if step.isdigit() else step for step in parents)
    assert key.isdigit() or key in known_keys(steps) or ".".join(parents) in FREE_MAPPINGS


@pytest.mark.parametrize("link", sorted(set(re.findall(r"\]\((?!https?://|#)([^)#]+)\)", PAGE))))
def test_a_link_leads_to_a_file(link: str):
    assert (HERE.parent / "docs" / link).exists()


@pytest.mark.parametrize("anchor", sorted(set(re.findall(r"\]\(#([^)]+)\)", PAGE))))
def test_a_link_within_the_page_leads_to_a_heading(anchor: str):
    headings = re.findall(r"^##+ (.+)$", PAGE, re.MULTILINE)
    assert anchor in {re.sub(r"[^a-z0-9 -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_outside_tables_there_is_one_sentence_on_a_line():
    prose = re.sub(r"```.*?```", "", PAGE, flags=re.DOTALL)
    lines = [line for line in prose.splitlines() if not line.startswith(("|", "- ", "#"))]
    assert [line for line in lines if re.search(r"[.?!] [A-Z]", line)] == []
