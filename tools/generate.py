"""Makes the files that are derived from code: compiled validators and reference pages. `make generate` runs it.

With --check it writes nothing and fails where a file is not what it would write.
"""

from __future__ import annotations

import inspect
import json
import sys
import typing
from pathlib import Path
from typing import Any

import yaml

from failures_page import failures_page
from guides.pages import guides
from metrics_page import collectors_told
from pictures import pictures
from trainyard import record_schema
from trainyard.api.explain import findings
from trainyard.catalog import catalog_file, deployment_file
from trainyard.field import Above, ByShape, NotEmpty, OneOf, Text, Whole
from trainyard.monitoring.alert import FOLDER, GROUPS, SEVERITIES, alerts, no_alerts, readable_template
from trainyard.monitoring.alert_panel import alert_panel
from trainyard.monitoring.cloudwatch_dashboard import COMPILED as COMPILED_CLOUDWATCH
from trainyard.monitoring.cloudwatch_dashboard import compiled_cloudwatch_dashboards
from trainyard.monitoring.grafana_dashboard import compiled_dashboards
from trainyard.monitoring.grafana_files import COMPILED as COMPILED_GRAFANA
from trainyard.monitoring.prometheus_rules import compiled_rules
from trainyard.monitoring.queries import documented_queries
from trainyard.monitoring.rules_text import COMPILED as COMPILED_RULES
from trainyard.render.data_files import COMPILED as COMPILED_RENDERING
from trainyard.render.data_files import compiled_data
from trainyard.spec.cluster import Spec
from trainyard.spec.environment import Environment
from trainyard.spec.fields import field_hints, records_in
from trainyard.spec.parsing import COMPILED, COMPILED_ENVIRONMENT
from trainyard.training.run import Run
from trainyard.training.run_file import COMPILED as COMPILED_RUN
from trainyard_node.collectors.cpu import CpuCollector
from trainyard_node.collectors.efa import EfaCollector
from trainyard_node.collectors.health import HealthCollector
from trainyard_node.collectors.jobs import JobsCollector
from trainyard_node.collectors.lustre import LustreCollector
from trainyard_node.collectors.nccl_inspector import NcclInspectorCollector
from trainyard_node.collectors.nccl_ras import NcclRasCollector
from trainyard_node.collectors.neuron import NeuronCollector
from trainyard_node.collectors.prices import PricesCollector
from trainyard_node.collectors.slurm.collector import SlurmCollector
from trainyard_node.collectors.slurm.scheduler import SchedulerCollector
from trainyard_node.samples import metrics

if typing.TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from trainyard.monitoring.alert import Alert
    from trainyard.monitoring.queries import DocumentedQuery
    from trainyard.record import Record

ROOT = Path(__file__).parent.parent
FOLDER_OF_PICTURES = ROOT / "docs" / "pictures"
FOLDER_OF_PAGES = Path(__file__).parent
HEADING = "<!-- Made by `make generate`. Change the code that it describes instead. -->"


def outputs() -> dict[Path, str]:
    """Return every generated file with its text."""
    return {
        COMPILED: record_schema.compiled_text(Spec),
        COMPILED_ENVIRONMENT: record_schema.compiled_text(Environment),
        COMPILED_RUN: record_schema.compiled_text(Run),
        catalog_file.COMPILED: record_schema.compiled_text(catalog_file.CatalogFile),
        catalog_file.STORED: _catalog_contents(),
        deployment_file.COMPILED: record_schema.compiled_text(deployment_file.DeploymentFile),
        COMPILED_GRAFANA: compiled_dashboards(),
        COMPILED_CLOUDWATCH: compiled_cloudwatch_dashboards(),
        COMPILED_RULES: compiled_rules(),
        COMPILED_RENDERING: compiled_data(),
        ROOT / "docs" / "spec.md": "\n".join(_spec_page()),
        ROOT / "docs" / "findings.md": "\n".join(_findings_page()),
        ROOT / "docs" / "metrics.md": "\n".join(_metrics_page()),
        ROOT / "docs" / "alerts.md": "\n".join(_alerts_page()),
        **{ROOT / "docs" / "guides" / file: text for file, text in guides().items()},
        **{FOLDER_OF_PICTURES / f"{name}.svg": text for name, text in pictures().items()},
        ROOT / "docs" / "failures.md": "\n".join([HEADING, "# Failures", "", *failures_page()]),
    }


def _catalog_contents() -> str:
    """Return the catalog's files in JSON, a line for each."""
    texts = {path: path.read_bytes() for path in sorted(catalog_file.FOLDER.rglob("*.yaml"))}
    contents = {
        catalog_file.stored_name(path, text): yaml.load(text, Loader=yaml.CSafeLoader) for path, text in texts.items()
    }
    lines = [f"{json.dumps(name)}: {json.dumps(content, separators=(',', ':'))}" for name, content in contents.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _spec_page() -> Iterator[str]:
    yield HEADING
    yield "# The spec"
    yield ""
    yield "One YAML file describes a cluster. Everything has a default except what is marked as required."
    yield "`trainyard schema` prints the same as a JSON Schema; `trainyard new` starts from a whole example."
    yield ""
    of_cluster: dict[type[Record], str] = {}
    yield from _sections_of(Spec, "The spec itself", of_cluster)
    yield "# An environment"
    yield ""
    yield "A spec with `kind: environment` describes what several clusters share; `trainyard deploy` makes it alone."
    yield ""
    yield from _sections_of(Environment, "The environment itself", {}, of_cluster)


def _sections_of(
    top: type[Record], heading: str, first_paths: dict[type[Record], str], told: Mapping[type[Record], str] = {}
) -> Iterator[str]:
    for path, record in _sections(top, "", set(told)):
        yield f"## {path or heading}"
        yield ""
        first = first_paths.setdefault(record, path)
        if record in told or first != path:
            yield f"The same keys as in `{told.get(record, first)}`{' of a cluster' if record in told else ''}."
            yield ""
            continue
        yield inspect.getdoc(record) or ""
        for group in record.one_of:
            yield f"Exactly one of {', '.join(f'`{name}`' for name in group)}."
        yield ""
        yield "| Key | Value | Default | Meaning |"
        yield "|---|---|---|---|"
        yield from _rows(record)
        yield ""


def _sections(
    record: type[Record], path: str, seen: set[type[Record]] | None = None
) -> Iterator[tuple[str, type[Record]]]:
    """Yield every record with where it stands. What stands in a record is told once, where it comes first."""
    seen = set() if seen is None else seen
    yield path, record
    if record in seen:
        return
    seen.add(record)
    for name, hint in field_hints(record).items():
        repeated = "[]" if _is_list(hint) else ""
        for inner in dict.fromkeys(records_in(hint)):
            yield from _sections(inner, f"{path}.{name}{repeated}".lstrip("."), seen)


def _is_list(hint: Any) -> bool:
    origins = [typing.get_origin(hint), *(typing.get_origin(get_argument) for get_argument in typing.get_args(hint))]
    return tuple in origins


def _rows(record: type[Record]) -> Iterator[str]:
    texts = record_schema.field_texts(record)
    for name, hint in field_hints(record).items():
        default = _default(getattr(record, name)) if hasattr(record, name) else "required"
        yield f"| `{name}` | {_value(hint)} | {default} | {texts[name]} |".replace("\n", " ")


def _default(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, dict) and value:
        return f"`{{{', '.join(f'{key}: {one}' for key, one in value.items())}}}`"
    if isinstance(value, tuple) and value:
        return f"`[{', '.join(value)}]`"
    return "empty" if value == () else "its own defaults" if value == {} else f"`{value}`"


def _value(hint: Any) -> str:
    for mark in getattr(hint, "__metadata__", ()):
        if isinstance(mark, Text | Whole | Above | ByShape):
            return mark.what.replace("|", "\\|")
        if isinstance(mark, NotEmpty):
            return f"{_value(typing.get_args(hint)[0])}, {mark.what}"
    arguments = [get_argument for get_argument in typing.get_args(hint) if get_argument not in (type(None), Ellipsis)]
    origin = typing.get_origin(hint)
    names = [name for mark in getattr(hint, "__metadata__", ()) if isinstance(mark, OneOf) for name in mark.names()]
    if names or origin is typing.Literal:
        return ", ".join(f"`{name}`" for name in names or arguments)
    if origin is tuple:
        return f"a list: each {_value(arguments[0])}"
    if arguments and origin is not dict:
        return _value(arguments[0])
    return {dict: "a mapping of names to text", bool: "`true` or `false`", str: "text", int: "a whole number"}.get(
        origin or hint, "a mapping, see below"
    )


def _findings_page() -> Iterator[str]:
    yield HEADING
    yield "# Findings"
    yield ""
    yield "Every id that `trainyard check` prints, and those of preflights, which ask the account before a deployment."
    yield "`trainyard explain ID` prints the same."
    yield ""
    yield from FOLDER_OF_PAGES.joinpath("findings_page.md").read_text(encoding="utf-8").splitlines()
    yield ""
    for finding in findings():
        yield f"## {finding.id}"
        yield ""
        yield f"{finding.title} ({', '.join(finding.qualities)})."
        yield ""
        yield finding.rationale
        yield ""
        yield f"What to do: {finding.remedy}"
        yield ""
        yield f"Source: <{finding.source}>"
        yield ""
        if finding.applies_to is not None:
            yield f"Applies to: {', '.join(finding.applies_to)}"
            yield ""
        for word, example in (("Wrong", finding.bad), ("Right", finding.good)):
            if example is not None:
                yield f"{word}:"
                yield ""
                yield f"```yaml\n{example.rstrip()}\n```"
                yield ""


_COLLECTORS = (
    *(SlurmCollector, SchedulerCollector, PricesCollector, CpuCollector, EfaCollector, LustreCollector),
    *(NeuronCollector, HealthCollector, JobsCollector),
    *(NcclRasCollector, NcclInspectorCollector),
)


def _metrics_page() -> Iterator[str]:
    intervals = {one.name: f"{one.interval_s:g}" for one in _COLLECTORS}
    yield HEADING
    yield "# Metrics"
    yield ""
    yield "Everything that `trainyard-node serve` exports at `/metrics`, in Prometheus' text format."
    yield ""
    yield "Names that other exporters gave are kept, so that their dashboards work: their stability is `community`."
    yield "Names of our own are `stable` where they will stay, and `experimental` where they may still change."
    yield "A community name that breaks Prometheus' rules of names is `untyped`, be it a counter that does not end in"
    yield "`_total` or a gauge that does. It is queried like any other, with `rate()` where it counts up."
    yield ""
    for collector in collectors_told():
        yield f"## {collector.title}"
        yield ""
        yield collector.text.replace("{interval_s}", intervals.get(collector.id, ""))
        yield from _queries(tuple(one for one in documented_queries() if one.about == collector.id))
        for file, heading in collector.registries.items():
            yield from _metrics_of(file, heading)


def _queries(queries: tuple[DocumentedQuery, ...]) -> Iterator[str]:
    for title, alarm in (("To ask", False), ("To be warned by, where no answer is good news", True)):
        if any(query.alarm == alarm for query in queries):
            yield f"{title}:"
            yield ""
        for query in queries:
            if query.alarm == alarm:
                yield query.question
                yield ""
                yield f"```promql\n{query.query}\n```"
                yield ""


def _metrics_of(file: str, heading: str) -> Iterator[str]:
    if heading:
        yield f"### {heading}"
        yield ""
    yield "| Name | Type | Unit | Labels | Stability | Meaning |"
    yield "|---|---|---|---|---|---|"
    for one in metrics(file).values():
        labels = ", ".join(f"`{label}`" for label in one.labels) or "none"
        yield f"| `{one.name}` | {one.type} | {one.unit or 'none'} | {labels} | {one.stability} | {one.help} |"
    yield ""


def _alerts_page() -> Iterator[str]:
    yield HEADING
    yield "# Alerts"
    yield ""
    yield FOLDER.with_name("alerts_page.md").read_text(encoding="utf-8")
    yield "What has no alert, and why:"
    yield ""
    yield from (f"- {entry['what']}: {entry['why']}{_beside(entry)}." for entry in no_alerts())
    yield ""
    yield "| Severity | Meaning |"
    yield "|---|---|"
    yield from (f"| {severity} | {meaning} |" for severity, meaning in SEVERITIES.items())
    yield ""
    for group, heading in GROUPS.items():
        yield f"# {heading}"
        yield ""
        for alert in alerts():
            if alert.group == group:
                yield from _alert_section(alert)


def _beside(entry: dict[str, Any]) -> str:
    names = [f"`{name}`" for name in entry.get("metrics", ())]
    alert = [f"[{entry['beside']}](#{entry['beside']})"] if "beside" in entry else []
    return f" ({', '.join([*names, *alert])})"


def _alert_section(alert: Alert) -> Iterator[str]:
    yield f"## {alert.id}"
    yield ""
    yield f"{readable_template(alert.description)} ({alert.severity})"
    yield ""
    yield "What to do:"
    yield ""
    yield from (f"{number}. {step}" for number, step in enumerate(alert.remedy, 1))
    yield ""
    yield alert.why
    yield ""
    yield f"It is seen in {alert_panel(alert).title()}."
    yield ""
    yield f"After {alert.for_} of:" if alert.for_ != "0m" else "At once, with:"
    yield ""
    yield f"```promql\n{alert.rule}\n```"
    yield ""
    yield f"{'Source' if len(alert.sources) == 1 else 'Sources'}: {', '.join(f'<{url}>' for url in alert.sources)}"
    yield ""


def main() -> int:
    """Write what has changed, or with --check say what would."""
    stale = [file for file, text in outputs().items() if not file.exists() or file.read_text(encoding="utf-8") != text]
    for file in stale:
        if "--check" in sys.argv:
            print(f"{file.relative_to(ROOT)} is stale: run `make generate`")
        else:
            file.write_text(outputs()[file], encoding="utf-8")
            print(f"{file.relative_to(ROOT)} written")
    return 1 if stale and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
