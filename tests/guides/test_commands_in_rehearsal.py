"""Every command of docs/operating.md and of the guides is run against kept rehearsals of the clusters that it names."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests import program
from tests.guides.test_guides import DOCS, commands
from trainyard.edge.aws.account import Account
from trainyard.rehearsal.kept_rehearsal import kept_rehearsals, stop

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]

TABLES: Mapping[str, list[Mapping[str, Any]]] = yaml.safe_load(
    Path(__file__).with_name("commands_in_rehearsal.yaml").read_text(encoding="utf-8")
)
IN_PLACE = {
    "NAME": "llm-p5",
    "SPEC": "cluster.yaml",
    "REGION": "us-east-2",
    "NODE": "compute-gpu-st-p5-48xlarge-1",
    "TYPE": "p5.48xlarge",
    "ID": "node-failed",
    "TEXT": "slow",
    "HOURS": "1",
}
"""What the words of the pages that stand for something are in the rehearsal."""
PLACEHOLDER = re.compile(r"\b(FILE|USER|TAG)\b|…")
ABOUT = re.compile(r"llm-|\.(yaml|gz|out)\b|explain node-|^trainyard new .*--set")
P5 = """\
name: llm-p5
region: us-east-2
platform: parallelcluster
network: {availability_zone: us-east-2a}
access: {ssh_key: ml-key, allow_from: [203.0.113.7/32]}
head_node: {instance_type: m5.large, subnet: public}
login_nodes: {count: 1, instance_type: m5.large}
queues:
  - {name: compute-gpu, instance_type: p5.48xlarge, nodes: 2, capacity: {reservation: cr-0a1b2c3d4e5f60718}}
monitoring: {mode: self-hosting}
"""
P4D = """\
name: llm-p4d
region: us-east-2
platform: batch
queues:
  - {name: training, instance_type: p4d.24xlarge, nodes: {min: 0, max: 4}}
"""


def page_commands() -> list[str]:
    """Return every command that names a cluster, a file or an id, each once, and last what changes the cluster."""
    page = (DOCS / "operating.md").read_text(encoding="utf-8")
    operating = re.findall(r"`(trainyard [^`]+)`", page.replace("\\|", "|"))
    written = (*operating, *(text for _, text in commands()))
    meant = [re.sub(r"\b[A-Z]+\b", lambda word: IN_PLACE.get(word[0], word[0]), text) for text in written]
    whole = [text for text in meant if ABOUT.search(text)]
    named = dict.fromkeys(text for text in whole if not PLACEHOLDER.search(text))
    last = ("trainyard deploy", "trainyard destroy")
    return sorted(named, key=lambda text: next((1 + at for at, words in enumerate(last) if text.startswith(words)), 0))


def entry(table: str, command: str) -> Mapping[str, Any] | None:
    """Return the first entry of a table that is about a command."""
    return next((entry for entry in TABLES[table] if re.search(entry["find"], command)), None)


def instead(command: str) -> str:
    """Return what is run in place of a command."""
    for replaced in TABLES["instead"]:
        command = re.sub(replaced["find"], replaced["put"], command)
    return command


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with the specs, an ssh key and a log, and a rehearsal of each spec."""
    monkeypatch.setenv("TRAINYARD_STATE", str(tmp_path / "state"))
    (tmp_path / "cluster.yaml").write_text(P5)
    (tmp_path / "p4d.yaml").write_text(P4D)
    (tmp_path / ".ssh").mkdir()
    for key in ("ml-key.pem", "ml-key"):
        (tmp_path / ".ssh" / key).write_text("-----BEGIN OPENSSH PRIVATE KEY-----\n")
        (tmp_path / ".ssh" / key).chmod(0o600)
    (tmp_path / "slurm-41.out").write_text("NVRM: Xid (PCI:0000:53:00): 79, GPU has fallen off the bus.\n")
    own = {"TRAINYARD_STATE": str(tmp_path / "state")}
    monkeypatch.chdir(tmp_path)
    try:
        with ThreadPoolExecutor() as pool:
            keeping = [
                pool.submit(program.run, "rehearse", spec, "--keep", variables=own)
                for spec in ("cluster.yaml", "p4d.yaml")
            ]
            for kept in keeping:
                assert kept.result().status == 0, kept.result().err
        yield tmp_path
    finally:
        for rehearsal in kept_rehearsals():
            stop(rehearsal)


def real_names(account: Account) -> dict[str, str]:
    """Return what a node of the rehearsal has in place of the ids that the pages made up."""
    filters = [{"Name": "tag:parallelcluster:node-type", "Values": ["HeadNode"]}]
    reservations = account.client("ec2").describe_instances(Filters=filters)["Reservations"]
    node = reservations[0]["Instances"][0]
    return {
        "i-0a1b2c3d4e5f60718": node["InstanceId"],
        "ip-10-0-16-123": node["PrivateDnsName"].partition(".")[0],
        "~": str(Path.cwd()),
    }


@pytest.mark.exhaustive
def test_every_command_of_the_pages_works_in_a_kept_rehearsal(folder: Path):
    p4d, p5 = sorted(kept_rehearsals(), key=lambda kept: kept.name)
    names, failures, ran = real_names(p5.account), [], 0
    for command in page_commands():
        if entry("not_run", command) is not None:
            continue
        text = instead(command)
        for made_up, real in names.items():
            text = text.replace(made_up, real)
        if "--export" in text:
            (folder / text.split()[-1]).unlink(missing_ok=True)
        kept = p4d if "llm-p4d" in text else p5
        result = program.run(*shlex.split(text)[1:], variables={**kept.variables(), "HOME": str(folder)})
        expected = (entry("status", command) or {"status": 0})["status"]
        ran += 1
        if result.status != expected or "Traceback" in result.err:
            failures.append(f"{text}: status {result.status}: {result.out[-300:]}{result.err[-300:]}")
    assert not failures, "\n".join(failures)
    assert ran > 50


def test_every_entry_of_the_table_is_about_a_command_of_the_pages():
    assert all(entry["why"] for table in TABLES.values() for entry in table)
    for table, entries in TABLES.items():
        for one in entries:
            assert any(re.search(one["find"], command) for command in page_commands()), (table, one["find"])
