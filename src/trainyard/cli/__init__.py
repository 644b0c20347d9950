"""The command line. One module a command; nothing outside this folder prints or exits."""

from __future__ import annotations

import errno
import io
import signal
import sys
from importlib import import_module

import click

from trainyard.cli.output import json_requested, print_error, print_plain, print_usage_error
from trainyard.errors import TrainyardError
from trainyard.stop_request import forget
from trainyard.version import __version__

COMMANDS = (
    "architectures",
    "new",
    "adopt",
    "instances",
    "schema",
    "check",
    "explain",
    "facts",
    "versions",
    "render",
    "assets",
    "plan",
    "image",
    "rehearse",
    "lab",
    "deploy",
    "replace",
    "status",
    "calendar",
    "connect",
    "logs",
    "diagnose",
    "nodes",
    "monitor",
    "bench",
    "batch",
    "run",
    "destroy",
    "completion",
)
"""In the order of use, which is also the order of the help."""


class Commands(click.Group):
    """The commands, each imported when it is first asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's signature
        """Return the names in the order of use."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  click's signature
        """Return a command by its name."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"trainyard.cli.{cmd_name}").command
        return command


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="trainyard")
def trainyard() -> None:
    """From one typed file to a distributed-training cluster on AWS.

    \b
    The way of a spec:
      trainyard new p5-observability -o cluster.yaml
      trainyard check cluster.yaml
      trainyard render cluster.yaml -o build/my-cluster

    \b
    Exit status: 0 fine; 1 findings of severity error, or the work could not be
    done; 2 the command line is wrong, or an input could not be read.
    """


def main() -> int:
    """Run the command line and return its exit status."""
    as_json = json_requested(sys.argv[1:])
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # file names and terminals may lack UTF-8
    try:
        return trainyard.main(prog_name="trainyard", standalone_mode=False) or 0
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return 2
    except click.ClickException as error:
        print_usage_error(error, as_json=as_json)
        return 2
    except (click.Abort, KeyboardInterrupt):
        print_plain("interrupted", err=True)
        return 128 + (forget() or signal.SIGINT)
    except Exception as error:  # noqa: BLE001  what is a bug is raised again
        return _failed(error, as_json=as_json)


def _failed(error: Exception, *, as_json: bool) -> int:
    """Print why the work could not be done. Anything that is no such error is a bug and keeps its traceback."""
    if type(error).__module__.startswith("botocore."):  # AWS could not be reached in the middle of something
        # Imported here because only commands that call AWS need it, and --help must not wait for it.
        from trainyard.edge.aws.errors import account_error

        error = account_error(error, "AWS")
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        hint = "free some space, or set TMPDIR to a folder that has some; then run the command again"
        error = TrainyardError("no space left on the disk", where=str(error.filename or "") or None, hint=hint)
    if not isinstance(error, TrainyardError):
        raise error
    print_error(error, as_json=as_json)
    return error.exit_status
