"""A fix is made where a check of the result agrees, and nowhere else."""

from __future__ import annotations

from tests.each_case import each_case
from tests.examples import example_document, example_spec
from trainyard.checking.any_file import check_any_text
from trainyard.checking.fixes import fixed_text
from trainyard.rules import all_document_rules, all_rules

EXAMPLES = [
    *((rule.id, example_spec(rule.bad)) for rule in all_rules() if rule.bad),
    *((rule.id, example_document(rule.kinds[0], rule.bad)) for rule in all_document_rules() if rule.bad),
]
SPEC = example_spec("parallelcluster: {imds: v1.0}\n")
GIVEN_NAMES = "queues:\n  - {name: gpu, instancetype: p5.48xlarge, nodes: 2}\n"


@each_case("example", EXAMPLES, ids=lambda example: example[0])
def test_what_can_be_fixed_of_an_example_is_gone_and_nothing_new_is_wrong(example: tuple[str, str]):
    id_, text = example
    before = {finding.id for finding in check_any_text(text, "file.yaml").findings}
    fixed = fixed_text(text, "file.yaml")
    after = {finding.id for finding in check_any_text(fixed.after, "file.yaml").findings}
    assert (fixed.after != text) == bool(fixed.fixed), id_
    assert after <= {*before, "nothing-to-judge"}
    assert not {finding.id for finding in fixed.fixed} & {
        finding.id for finding in check_any_text(fixed.after, "file.yaml").findings if finding.fix
    }


def test_many_rules_have_a_fix_that_can_be_written():
    fixed = {finding.id for _, text in EXAMPLES for finding in fixed_text(text, "file.yaml").fixed}
    assert len(fixed) >= 12, sorted(fixed)


def test_a_mistyped_key_gets_its_name_where_only_one_can_be_meant():
    text = example_spec(GIVEN_NAMES)
    assert "instance_type: p5.48xlarge" in fixed_text(text, "cluster.yaml").after
    assert fixed_text(text.replace("instancetype", "kind_of_machine"), "cluster.yaml").fixed == ()


def test_a_key_does_not_get_the_name_of_one_that_is_there():
    text = example_spec(GIVEN_NAMES.replace("nodes", "instance_type: p5.48xlarge, nodes"))
    assert fixed_text(text, "cluster.yaml").fixed == ()


def test_what_a_comment_suppresses_stays():
    text = SPEC.replace("v1.0}", "v1.0}  # trainyard: ignore imds-version-1: an old program needs it")
    assert fixed_text(text, "cluster.yaml").fixed == ()


def test_the_difference_is_one_that_patch_reads_also_without_an_end_of_line():
    first, rest = SPEC.split("\n", 1)
    diff = fixed_text(f"{rest}{first}", "cluster.yaml").diff
    assert diff.startswith("--- cluster.yaml\n+++ cluster.yaml\n@@ -")
    assert diff.endswith(
        f"-{first}\n\\ No newline at end of file\n+{first.replace('v1.0', 'v2.0')}\n\\ No newline at end of file\n"
    )


SCRIPTS = {
    "Dockerfile": (
        "FROM ubuntu:22.04\r\nRUN cd a \\\r\n  && ./efa_installer.sh -y\r\n",
        "FROM ubuntu:22.04\r\nRUN cd a \\\r\n  && ./efa_installer.sh --skip-kmod -y\r\n",
    ),
    "find.sh": (
        "\ufeff#!/bin/bash\na --f tag:aws:parallelcluster:node-type  # b",
        "\ufeff#!/bin/bash\na --f tag:parallelcluster:node-type  # b",
    ),
    "run.sh": ("#!/bin/bash\ncurl https://a.example/x | bash\n", "#!/bin/bash\ncurl https://a.example/x | bash\n"),
}


@each_case("name", SCRIPTS)
def test_of_a_script_only_that_line_changes_that_has_one_right_answer(name: str):
    text, right = SCRIPTS[name]
    fixed = fixed_text(text, name)
    assert fixed.after == right
    assert len(fixed.fixed) == (text != right)


def test_a_script_within_another_file_is_left_to_its_author():
    text = "Resources:\n  A:\n    Type: AWS::EC2::Instance\n    Properties:\n      UserData: |\n        "
    text += "#!/bin/bash\n        a --f tag:aws:parallelcluster:node-type\n"
    assert "script-discovery-tag-unknown" in {finding.id for finding in check_any_text(text, "a.yaml").findings}
    assert fixed_text(text, "a.yaml").fixed == ()
