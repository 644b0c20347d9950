from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import example_spec
from trainyard.architectures import all_architectures
from trainyard.checking.explanation import explain_id
from trainyard.document.problems import MOST_FINDINGS
from trainyard.document.write import yaml_text
from trainyard.errors import FindingsError, SpecError
from trainyard.finding import Finding
from trainyard.spec.parsing import parse

DESIGN = Path(__file__).with_name("design.yaml").read_text()
ARCHITECTURES = {architecture.name: architecture.text for architecture in all_architectures()}


def findings_of(text: str) -> tuple[Finding, ...]:
    with pytest.raises(FindingsError) as raised:
        parse(text, "cluster.yaml")
    return raised.value.findings


def only_finding(text: str) -> Finding:
    (finding,) = findings_of(text)
    return finding


@pytest.mark.parametrize("text", [DESIGN, *ARCHITECTURES.values()], ids=["design", *ARCHITECTURES])
def test_a_whole_spec_is_accepted(text):
    assert f"name: {parse(text, 'cluster.yaml').spec.queues[0].name}" in text


def test_everything_but_name_region_platform_and_a_queue_has_a_default():
    minimal = "name: a\nregion: us-east-2\nplatform: eks\nqueues: [{name: q, instance_type: p5.48xlarge}]"
    assert parse(minimal, "f").spec.written == {"name", "region", "platform", "queues"}
    assert [(finding.id, finding.path) for finding in findings_of("{}")] == [
        ("spec-missing-key", key) for key in ("name", "region", "platform", "queues")
    ]


@pytest.mark.parametrize(
    ("text", "id_", "message"),
    [
        pytest.param("", "spec-empty", "the file is empty", id="nothing"),
        pytest.param("# a comment\n", "spec-empty", "the file is empty", id="a comment"),
        pytest.param("null", "spec-empty", "the file is empty", id="null"),
        pytest.param("- name: a", "spec-not-a-mapping", "this is a list", id="a list"),
        pytest.param("name", "spec-not-a-mapping", "this is a single value", id="a word"),
        pytest.param("HeadNode: {}", "spec-foreign", "this is a ParallelCluster configuration", id="ParallelCluster"),
        pytest.param("Resources: {}", "spec-foreign", "this is a CloudFormation template", id="CloudFormation"),
        pytest.param("apiVersion: eksctl.io/v1alpha5", "spec-foreign", "this is an eksctl ClusterConfig", id="eksctl"),
        pytest.param("apiVersion: v1\nkind: Pod", "spec-foreign", "this is a Kubernetes manifest", id="Kubernetes"),
    ],
)
def test_a_document_that_is_no_spec_is_called_what_it_is(text, id_, message):
    finding = only_finding(text)
    assert (finding.id, finding.line, finding.path) == (id_, 1, None)
    assert message in finding.message
    assert finding.remedy
    assert explain_id(id_).id == id_


# The last line of the part is the wrong one, and its last value is what is wrong.
@pytest.mark.parametrize(
    ("part", "id_", "path", "message"),
    [
        pytest.param("nmae: a", "spec-unknown-key", "nmae", "unknown key 'nmae'; did you mean 'name'?", id="a typo"),
        pytest.param("Regions: a", "spec-unknown-key", "Regions", "unknown key 'Regions'; did you mean 'region'?",
                     id="another case"),
        pytest.param("zzz: a", "spec-unknown-key", "zzz", "unknown key 'zzz'", id="a key like no other"),
        pytest.param("mapping: a", "spec-unknown-key", "mapping", "unknown key 'mapping'", id="a key called mapping"),
        pytest.param("head_node:\n  sub_net: a", "spec-unknown-key", "head_node.sub_net",
                     "unknown key 'sub_net'; did you mean 'subnet'?", id="in a section"),
        pytest.param("parallelcluster:\n  slurm:\n    exclusive: 1", "spec-unknown-key",
                     "parallelcluster.slurm.exclusive", "unknown key 'exclusive'; did you mean 'job_exclusive'?",
                     id="in a section of a section"),
        pytest.param("queues:\n- name: a\n  instance_type: a.b\n  nods: 1", "spec-unknown-key", "queues[0].nods",
                     "unknown key 'nods'; did you mean 'nodes'?", id="in a list"),
        pytest.param("queues:\n- name: a\n  instance_type: a.b\n  nodes:\n    max: 1\n    maxx: 1", "spec-unknown-key",
                     "queues[0].nodes.maxx", "unknown key 'maxx'; did you mean 'max'?", id="in one shape of several"),
        pytest.param("queues:\n- name: a\n  instance_type: a.b\n  nodes:\n    max: 1\n    mapping: 1",
                     "spec-unknown-key", "queues[0].nodes.mapping", "unknown key 'mapping'; did you mean 'min'?",
                     id="called like the shape that it stands in"),
        pytest.param("name: 8", "spec-bad-value", "name",
                     "name must be 1 to 60 letters, digits and hyphens, beginning with a letter, not 8", id="a number"),
        pytest.param("name: a/b", "spec-bad-value", "name",
                     "name must be 1 to 60 letters, digits and hyphens, beginning with a letter, not 'a/b'",
                     id="a slash in the name"),
        pytest.param("name: ..", "spec-bad-value", "name",
                     "name must be 1 to 60 letters, digits and hyphens, beginning with a letter, not '..'",
                     id="the folder above as name"),
        pytest.param('name: "a\\n"', "spec-bad-value", "name",
                     "name must be 1 to 60 letters, digits and hyphens, beginning with a letter, not 'a\\n'",
                     id="a line end after the name"),
        pytest.param("region:", "spec-bad-value", "region",
                     "region must be an AWS region such as us-east-2, not empty", id="nothing"),
        pytest.param("region: us-east-٢", "spec-bad-value", "region",
                     "region must be an AWS region such as us-east-2, not 'us-east-٢'", id="another script's digit"),
        pytest.param("platform: Slurm", "spec-bad-value", "platform",
                     "platform must be parallelcluster, batch or eks, not 'Slurm'", id="not one of the words"),
        pytest.param("head_node: m5.large", "spec-wrong-type", "head_node",
                     "head_node must be a mapping of keys to values, not 'm5.large'", id="text for a section"),
        pytest.param("file_systems: {}", "spec-wrong-type", "file_systems",
                     "file_systems must be a list, not an empty mapping", id="a mapping for a list"),
        pytest.param("tags: [a]", "spec-wrong-type", "tags", "tags must be a mapping of keys to values, not a list",
                     id="a list for a mapping"),
        pytest.param("software:\n  containers: 'yes'", "spec-wrong-type", "software.containers",
                     "software.containers must be true or false, not 'yes'", id="text for a boolean"),
        pytest.param("monitoring:\n  log_retention_days: true", "spec-bad-value", "monitoring.log_retention_days",
                     "monitoring.log_retention_days must be "
                     "1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1827 or 3653, not true",
                     id="true for one of several numbers"),
        pytest.param("queues: []", "spec-bad-value", "queues", "queues must have at least one queue, not an empty list",
                     id="no queue"),
        pytest.param("queues:\n- 3", "spec-wrong-type", "queues[0]",
                     "queues[0] must be a mapping of keys to values, not 3", id="a number for a queue"),
        pytest.param("queues:\n- name: a\n  instance_type: a.b\n  nodes: 1.5", "spec-bad-value", "queues[0].nodes",
                     "queues[0].nodes must be a number of nodes, or {min: …, max: …}, not 1.5", id="half a node"),
        pytest.param("queues:\n- name: a\n  instance_type: a.b\n  nodes: true", "spec-bad-value", "queues[0].nodes",
                     "queues[0].nodes must be a number of nodes, or {min: …, max: …}, not true",
                     id="true for a number"),
        pytest.param("queues:\n- name: a\n  instance_type: a.b\n  nodes: [1]", "spec-bad-value", "queues[0].nodes",
                     "queues[0].nodes must be a number of nodes, or {min: …, max: …}, not a list",
                     id="a shape that does not fit"),
        pytest.param("queues:\n- name: a\n  instance_type: a.b\n  availability_zone:\n  - us-east-2a\n  - 3",
                     "spec-bad-value", "queues[0].availability_zone[1]",
                     "queues[0].availability_zone[1] must be a zone such as us-east-2a, not 3",
                     id="in a list of one shape of several"),
        pytest.param("access:\n  allow_from:\n  - 1.2.3.4.24", "spec-bad-value", "access.allow_from[0]",
                     "access.allow_from[0] must be an IPv4 address range such as 203.0.113.7/32, not '1.2.3.4.24'",
                     id="no address range"),
        pytest.param("tags:\n  scalar: 1", "spec-bad-value", "tags.scalar",
                     "tags.scalar must be up to 256 letters, digits, spaces and . : / = + - @ _, not 1",
                     id="a tag of the name of a shape"),
        pytest.param("tags:\n  a!: b", "spec-bad-value", "tags.a!",
                     "tags.a! must be 1 to 128 letters, digits, spaces and . : / = + - @ _, not 'a!'",
                     id="a tag whose key is wrong"),
        pytest.param("queues:\n- name: a\n  instance_type: a.b\n  compute_resources: [{instance_type: a.b}]",
                     "spec-one-of", "queues[0].compute_resources",
                     "queues[0] has instance_type and compute_resources, which exclude each other", id="too many keys"),
        pytest.param("file_systems:\n- mount: /a", "spec-one-of", "file_systems[0]",
                     "file_systems[0] needs one of lustre, ebs, efs, openzfs", id="too few keys"),
        pytest.param("file_systems:\n- {mount: /a, lustre: null}", "spec-one-of", "file_systems[0]",
                     "file_systems[0] needs one of lustre, ebs, efs, openzfs", id="an empty key, which is too few"),
    ],
)  # fmt: skip
def test_a_wrong_value_is_named_with_its_place_and_path(part, id_, path, message):
    finding = only_finding(example_spec(part))
    last = part.splitlines()[-1]
    assert (finding.id, finding.file, finding.path, finding.message) == (id_, "cluster.yaml", path, message)
    assert (finding.line, finding.column) == (len(part.splitlines()), len(last) - len(last.lstrip("- ")) + 1)
    assert finding.remedy
    assert explain_id(id_).id == id_


@pytest.mark.parametrize("written", ["3.16", "3.10", "3"])
def test_a_version_that_yaml_reads_as_a_number_is_to_be_put_in_quotes(written):
    finding = only_finding(example_spec(f"parallelcluster:\n  version: {written}"))
    assert finding.remedy is not None
    assert "put it in quotes and write it in full" in finding.remedy


def test_all_errors_are_reported_at_once_in_the_order_of_their_lines():
    text = """\
name: 8
queues:
  - {name: A, instance_type: p5.48xlarge, compute_resources: []}
  - {name: b, capacity: {reservation: cr-1, capacity_block: null}}
  - {name: c, instance_type: p5.48xlarge, nodes: {min: x}}
tags: {a!: 1}
regoin: us-east-2
"""
    assert [(finding.line, finding.id, finding.path) for finding in findings_of(text)] == [
        (1, "spec-bad-value", "name"),
        (1, "spec-missing-key", "region"),
        (1, "spec-missing-key", "platform"),
        (3, "spec-bad-value", "queues[0].name"),
        (3, "spec-bad-value", "queues[0].compute_resources"),
        (3, "spec-one-of", "queues[0].compute_resources"),
        (4, "spec-one-of", "queues[1]"),
        (4, "spec-bad-value", "queues[1].capacity.reservation"),
        (5, "spec-missing-key", "queues[2].nodes.max"),
        (5, "spec-bad-value", "queues[2].nodes.min"),
        (6, "spec-bad-value", "tags.a!"),
        (6, "spec-bad-value", "tags.a!"),
        (7, "spec-unknown-key", "regoin"),
    ]


def test_no_more_errors_are_reported_than_anybody_reads():
    assert len(findings_of("".join(f"a{n}: 1\n" for n in range(MOST_FINDINGS)))) == MOST_FINDINGS


def test_the_summary_names_the_first_error_and_counts_the_others():
    with pytest.raises(SpecError) as raised:
        parse(example_spec("name: 8\nregion: 8"), "cluster.yaml")
    assert raised.value.problem.endswith("not 8 (and 1 more)")
    assert raised.value.where == "cluster.yaml:1:1 (name)"
    assert raised.value.exit_status == 2


@pytest.mark.parametrize(
    "part",
    ['name: "\\e[31mred\\a"', 'name: "a\\nb\\u2028c"', 'name: "\\u202Eabc"', f"name: {'x' * 5000}",
     'tags: {"\\e[31m": 1}', f"tags: {{? {'x' * 5000} : 1}}", '"\\e[31m": 1', f"? {'x' * 5000}\n: 1",
     f"name: 0x{'f' * 99}"],
    ids=["an escape", "line ends", "reversed text", "long text", "an escape in a tag", "a long tag",
         "an escape in a key", "a long key", "a large number"],
)  # fmt: skip
def test_a_message_is_one_short_printable_line_whatever_was_written(part):
    for finding in findings_of(example_spec(part)):
        assert finding.message.isprintable()
        assert len(finding.message) < 300


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(
        ["name", "queues", "nodes", "capacity", "scalar", "mapping", "sequence", "reservation", "tags", "network",
         "existing", "availability_zone", "compute_resources", "instance_type", "kind", "apiVersion", "a b", ""]
    ), inner, max_size=6),
    max_leaves=20,
)  # fmt: skip


@given(VALUES)
def test_any_document_is_a_spec_or_every_error_of_it_has_a_place(value):
    try:
        parse(yaml_text(value), "f")
    except FindingsError as error:
        assert all(finding.line and finding.column and finding.remedy for finding in error.findings)  # noqa: PT017  either is right


@pytest.mark.parametrize(
    ("part", "path"),
    [
        ("'http://me:hush@proxy.example.com:3128': 1", "…@proxy.example.com:3128"),
        ("network: {http_proxy:http://me:hush@proxy.example.com: 3128}", "network.…@proxy.example.com"),
        ("software: {'me:hush@nvcr.io': 1}", "software.…@nvcr.io"),
        ("queues: [{name: q, instance_type: m5.large, 'me:hush@nvcr.io': 1}]", "queues[0].…@nvcr.io"),
    ],
    ids=["a proxy", "a missing space", "an image", "in a list"],
)
def test_a_password_in_an_unknown_key_is_not_repeated(part, path):
    finding = only_finding(example_spec(part))
    assert (finding.id, finding.path) == ("spec-unknown-key", path)
    assert finding.message.startswith("unknown key '…@")
    assert not any("hush" in str(value) for value in finding)


def test_a_password_in_the_key_of_a_wrong_value_is_not_repeated():
    findings = findings_of(example_spec("tags: {'me:hush!@nvcr.io': 1}"))
    assert {finding.path for finding in findings} == {"tags.…@nvcr.io"}
    assert not any("hush" in str(value) for finding in findings for value in finding)


@pytest.mark.parametrize(
    ("part", "path", "shown"),
    [
        ("software: {container_images: ['me:hush@nvcr.io/nvidia/pytorch:25.10']}", "software.container_images[0]",
         "'…@nvcr.io/nvidia/pytorch:25.10'"),
        ("software: {container_images: ['hush@nvcr.io#nvidia/pytorch']}", "software.container_images[0]",
         "'…@nvcr.io#nvidia/pytorch'"),
        ("software: {container_images: 'me:hu@sh@nvcr.io/nvidia/pytorch'}", "software.container_images",
         "'…@nvcr.io/nvidia/pytorch'"),
        ("network: {http_proxy: 'http://me:hush@proxy.example.com:3128'}", "network.http_proxy",
         "'…@proxy.example.com:3128'"),
    ],
    ids=["an image", "a token before an image", "an image in place of a list", "a proxy"],
)  # fmt: skip
def test_a_password_in_a_wrong_value_is_not_repeated(part, path, shown):
    finding = only_finding(example_spec(part))
    assert finding.path == path
    assert finding.message.endswith(f", not {shown}")
    assert not any("hu" in str(value) for value in (finding.message, finding.remedy))


SLACK = "https://hooks.slack.com/services/T0123/B0123/hush"
DIRECTORY = "domain: corp.example.com, addresses: ['ldaps://dc'], read_only_user: cn=a"
ARN = "arn:aws:secretsmanager:us-east-2:123456789012:secret:slack-AbCdEf"
TOLD = "monitoring.alert_receivers[0].secret"


@pytest.mark.parametrize(
    ("part", "path"),
    [
        (f"monitoring: {{alert_receivers: [{{kind: slack, secret: '{SLACK}'}}]}}", TOLD),
        ("monitoring: {alert_receivers: [{kind: pagerduty, secret: hush0123456789hush0123456789abcd}]}", TOLD),
        ("monitoring: {alert_receivers: [{kind: pagerduty, secret: [hush]}]}", TOLD),
        (f"monitoring: {{alert_receivers: ['{SLACK}']}}", "monitoring.alert_receivers[0]"),
        (f"monitoring: {{alert_receivers: '{SLACK}'}}", "monitoring.alert_receivers"),
        (
            f"monitoring: {{alert_receivers: [{{kind: '{SLACK}', secret: '{ARN}'}}]}}",
            "monitoring.alert_receivers[0].kind",
        ),
        ("parallelcluster: {slurm: {munge_secret: hush0123}}", "parallelcluster.slurm.munge_secret"),
        (
            "parallelcluster: {slurm: {accounting: {database: {host: db, user: u, password_secret: hush}}}}",
            "parallelcluster.slurm.accounting.database.password_secret",
        ),
        (
            f"access: {{directory_service: {{{DIRECTORY}, password_secret: hush}}}}",
            "access.directory_service.password_secret",
        ),
    ],
    ids=[
        *("slack", "pagerduty", "a list", "in place of a receiver", "in place of all", "in place of a kind"),
        *("munge", "a database", "a directory"),
    ],
)
def test_a_secret_in_place_of_its_arn_is_not_repeated_and_told_what_to_do_with(part, path):
    finding = only_finding(example_spec(part))
    assert (finding.id, finding.path) == ("spec-secret-in-clear", path)
    assert "aws secretsmanager create-secret" in (finding.remedy or "")
    assert not any("hush" in str(value) for value in finding)


def test_a_secret_of_a_receiver_is_named_with_all_of_its_arn():
    arn = "arn:aws:secretsmanager:us-east-2:123456789012:secret:slack"
    (finding,) = findings_of(example_spec(f"monitoring: {{alert_receivers: [{{kind: slack, secret: '{arn}'}}]}}"))
    assert "with the hyphen and six characters at its end" in finding.message
