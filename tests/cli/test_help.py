from __future__ import annotations

import subprocess
import sys

import click
import pytest

from trainyard.cli import COMMANDS
from trainyard.cli import trainyard as whole

# Calls every command's help in one process, which then says what it had to import.
HELP_OF_EVERYTHING = """
import sys
from trainyard.cli import COMMANDS, main
for command in ("", *COMMANDS):
    sys.argv = ["trainyard", *command.split(), "--help"]
    assert main() == 0, command
print(*sorted({name.split(".")[0] for name in sys.modules}), file=sys.stderr)
"""


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_a_command_says_what_it_does_and_shows_an_example(trainyard, command):
    ran = trainyard(command, "--help")
    assert (ran.status, ran.err) == (0, "")
    assert f"\n  Example:\n    trainyard {command}" in ran.out
    assert "\\b" not in ran.out
    assert all(len(line) <= 100 for line in ran.out.splitlines())
    assert trainyard(command, "-h") == ran


def test_the_help_names_every_command_in_the_order_of_use(trainyard):
    listed = trainyard("--help").out.split("Commands:\n")[1]
    assert [line.split()[0] for line in listed.splitlines()] == list(COMMANDS)


def test_the_help_keeps_the_line_ends_of_its_examples(trainyard):
    assert "\n  The way of a spec:\n    trainyard new p5-observability -o cluster.yaml\n" in trainyard("--help").out
    assert "-o cluster.yaml \\\n      --set name=llm-p5 " in trainyard("new", "--help").out


@pytest.mark.parametrize("command", COMMANDS)
def test_the_default_of_each_option_is_one_of_its_values(command):
    top = whole.get_command(click.Context(whole), command)
    assert top is not None
    waiting = [click.Context(top, info_name=command)]
    options = 0
    while waiting:
        context = waiting.pop()
        if isinstance(context.command, click.Group):
            waiting += [click.Context(sub, context, name) for name, sub in context.command.commands.items()]
        for option in context.command.get_params(context):
            default = option.get_default(context)
            if isinstance(default, (int, float, str)):
                assert option.type_cast_value(context, default) == default, option.name
            options += 1
    assert options


def test_help_imports_nothing_that_takes_long():
    ran = subprocess.run([sys.executable, "-c", HELP_OF_EVERYTHING], check=True, capture_output=True, text=True)
    slow = {"boto3", "botocore", "jsonschema", "moto", "pydantic", "rich", "ruamel", "yaml"}
    assert slow.isdisjoint(ran.stderr.split())


def test_the_version_is_printed(trainyard):
    assert trainyard("--version").out.startswith("trainyard, version ")
