from __future__ import annotations

import shutil
import subprocess

import pytest
from click.shell_completion import ShellComplete

from trainyard.api.explain import explanations
from trainyard.architectures import all_architectures, find_architecture
from trainyard.catalog.instances import names
from trainyard.cli import COMMANDS
from trainyard.cli import trainyard as program


def completed(*words: str) -> list[tuple[str, str]]:
    *before, incomplete = words
    found = ShellComplete(program, {}, "trainyard", "_TRAINYARD_COMPLETE").get_completions(list(before), incomplete)
    return [(item.type, item.value) for item in found]


def plain(*values: str) -> list[tuple[str, str]]:
    return [("plain", value) for value in values]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (("",), plain(*COMMANDS)),
        (("ch",), plain("check")),
        (("new", ""), plain(*(architecture.name for architecture in all_architectures()))),
        (("new", "p5"), plain("p5-observability", "p5en-monitoring")),
        (("explain", ""), plain(*(explanation.id for explanation in explanations()))),
        (("explain", "yaml-t"), plain("yaml-tab", "yaml-too-deep")),
        (("instances", ""), plain(*names())),
        (("instances", "p5e."), plain("p5e.48xlarge")),
        (("instances", "--launcher", ""), plain("parallelcluster", "batch", "eks")),
        (("check", "--format", "s"), plain("sarif")),
        (("check", "clu"), [("file", "clu")]),
        (("render", "clu"), [("file", "clu")]),
        (("render", "a", "-o", "b"), [("file", "b")]),
        (("new", "p5-observability", "-o", "b"), [("file", "b")]),
        (("batch", "submit", "lab", ""), plain("stress-ng", "nccl", "torchrun")),
        (("batch", "image", "lab", "p"), plain("pytorch")),
        (("completion", ""), plain("bash", "zsh", "fish")),
        (("explain", "zebra"), []),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_words_are_completed(words, found):
    assert sorted(completed(*words)) == sorted(found)


def test_a_completion_says_what_it_is_where_the_shell_shows_it():
    (item,) = ShellComplete(program, {}, "trainyard", "_TRAINYARD_COMPLETE").get_completions(["new"], "p5-")
    assert item.help == find_architecture("p5-observability").summary


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_a_shell_is_printed(trainyard, shell):
    ran = trainyard("completion", shell)
    assert ran.status == 0
    assert f"_TRAINYARD_COMPLETE={shell}_complete" in ran.out


def test_bash_reads_its_script(trainyard):
    bash = shutil.which("bash")
    assert bash is not None
    subprocess.run([bash, "-n"], input=trainyard("completion", "bash").out, text=True, check=True)


def test_bash_gets_its_completions_from_the_program(process):
    variables = {"_TRAINYARD_COMPLETE": "bash_complete", "COMP_WORDS": "trainyard new p6", "COMP_CWORD": "2"}
    ran = process(environment=variables)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "plain,p6-b200-monitoring\n", "")
