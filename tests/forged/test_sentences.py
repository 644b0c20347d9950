"""The source: no sentence of ours takes in what somebody else says, but as a quotation."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import trainyard

SOURCE = Path(trainyard.__file__).parent
# Attributes that hold words of AWS's services, Kubernetes, Slurm, nodes, jobs or programs.
FOREIGN = {"reason", "task_reason", "status_reason", "stderr", "error_text"}
QUOTING = {"quoted", "quoted_or", "word_or_quoted", "reason_and_message"}
# Whose words are ours, although they are called so.
OURS = {
    "platforms/parallelcluster/deployment/update_plan.py": "the words of ParallelCluster's own code on this machine",
    "platforms/parallelcluster/update_check.py": "the words of ParallelCluster's own code on this machine",
    "edge/prometheus_connection.py": "the words of http_client.py",
    "edge/downloads.py": "the phrase of an HTTP status",
    "edge/http_client.py": "the phrase of an HTTP status",
    "submission/job_progress.py": "a reason of JobState is quoted by its scheduler",
    "cli/bench_submit.py": "a reason of JobState is quoted by its scheduler",
    "platforms/eks/bench_jobs.py": "a reason of JobState is quoted by its scheduler",
}


def sentences(tree: ast.AST) -> Iterator[ast.FormattedValue]:
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield from (part for part in node.values if isinstance(part, ast.FormattedValue))


def unquoted(node: ast.AST) -> Iterator[int]:
    """Yield the lines where a value holds words of others outside a call that quotes them."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in QUOTING:
        return
    if isinstance(node, ast.Attribute) and node.attr in FOREIGN:
        yield node.lineno
    # What is only asked whether it is there is not shown.
    children = [node.body, node.orelse] if isinstance(node, ast.IfExp) else ast.iter_child_nodes(node)
    for child in children:
        yield from unquoted(child)


def test_no_sentence_holds_words_of_others_unquoted():
    files = [file for file in SOURCE.rglob("*.py") if "rehearsal" not in file.relative_to(SOURCE).parts]
    places = [
        f"{name}:{line}"
        for file in files
        if (name := file.relative_to(SOURCE).as_posix()) not in OURS
        for sentence in sentences(ast.parse(file.read_text(encoding="utf-8")))
        for line in unquoted(sentence.value)
    ]
    assert places == []
    assert len(files) > 500


def test_whoever_is_left_out_has_such_words():
    for name in OURS:
        tree = ast.parse((SOURCE / name).read_text(encoding="utf-8"))
        assert [line for sentence in sentences(tree) for line in unquoted(sentence.value)], name
