"""``trainyard connect``."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from trainyard.cli import suggestions
from trainyard.cli.options import account_options, cluster_argument
from trainyard.cli.output import json_option, print_json, print_plain, print_text, reporter
from trainyard.errors import InputError, TrainyardError
from trainyard.foreign_text import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trainyard.api.connect import NodeRequest
    from trainyard.api.deploy import Account

_LARGEST_PORT, _STEP = 65535, 10000
_ENDED_BY_SIGNAL = 128  # what shells add to the number of a signal


class _ConnectOptions(NamedTuple):
    """What the options say besides which node is meant."""

    user: str | None
    key: Path | None
    more: tuple[str, ...]
    dry_run: bool
    as_json: bool


@click.command()
@cluster_argument()
@click.argument("arguments", nargs=-1, metavar="[-- SSH-ARGUMENTS...]")
@account_options
@click.option("--node", metavar="NODE", help="Another node than the head node: login, monitoring, an instance id, an "
              "address, a host name, or Slurm's name of a node.")  # fmt: skip
@click.option("--user", metavar="USER", help="Another user than the default user of the node's operating system; "
              "ssm-user is the session's own.")  # fmt: skip
@click.option("--forward", metavar="WHAT", help="A tunnel until Ctrl-C: grafana, prometheus or PORT, with :LOCALPORT "
              "for another port of this machine.")  # fmt: skip
@click.option("--ssh", is_flag=True, help="By ssh; through Systems Manager where the node has no public address.")
@click.option("--key", type=click.Path(path_type=Path), metavar="FILE", shell_complete=suggestions.files,
              help="Private key for ssh. By default that of the node's key pair in ~/.ssh.")  # fmt: skip
@click.option("--print-ssh-config", is_flag=True, help="Print an entry for ~/.ssh/config, through Systems Manager.")
@click.option("--ssh-proxy", is_flag=True, help="Be the ProxyCommand of ssh, as that entry has it.")
@click.option("--kubeconfig", is_flag=False, flag_value="", metavar="[FILE]", help="Of EKS: let your kubectl reach the "
              "cluster, by a context in FILE, or in your own kubeconfig.")  # fmt: skip
@click.option("--dry-run", is_flag=True, help="Print the command that would be run.")
@json_option
def command(  # noqa: PLR0913  one for each option
    *,
    name: str,
    arguments: tuple[str, ...],
    region: str | None,
    profile: str | None,
    node: str | None,
    user: str | None,
    forward: str | None,
    ssh: bool,
    key: Path | None,
    print_ssh_config: bool,
    ssh_proxy: bool,
    kubeconfig: str | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Open a shell on a node of the cluster NAME, or a tunnel to it, by Systems Manager: no open port and no key.

    It takes session-manager-plugin of AWS and no AWS CLI. With --dry-run the command of the AWS CLI that does the
    same is printed, or that of ssh. Also for clusters of ParallelCluster and EKS that trainyard did not make. Clusters
    of AWS Batch and EKS have no head node: there it is the newest instance that runs. --node JOB#3 is that of node 3
    of a job of Batch; on EKS --node also takes a node group, and kubectl leads to Grafana or Prometheus inside.

    \b
    Exit status: that of ssh; else 0 fine, 1 there is no way to the node, 2 the
    command line is wrong.

    \b
    Example:
      trainyard connect cluster.yaml
      trainyard connect llm-p5 --region us-east-2
      trainyard connect llm-p5 --region us-east-2 --node compute-gpu-st-p5-48xlarge-1
      trainyard connect llm-p5 --region us-east-2 --forward grafana
      trainyard connect llm-p5 --region us-east-2 --ssh --dry-run
      trainyard connect llm-p5 --region us-east-2 --print-ssh-config >> ~/.ssh/config
      trainyard connect llm-eks --region us-east-2 --kubeconfig
    """
    ways = {"--forward": forward, "--ssh": ssh, "--print-ssh-config": print_ssh_config, "--ssh-proxy": ssh_proxy}
    ways["--kubeconfig"] = None if kubeconfig is None else True
    way = _only(ways)
    options = _ConnectOptions(user, key, arguments, dry_run, as_json)
    _refuse(way, options)

    from trainyard.api.cluster_reference import cluster_reference
    from trainyard.api.connect import NodeRequest

    name, where, *_ = cluster_reference(name, region, profile)
    meant = NodeRequest(name, node, user)
    if way == "--kubeconfig":
        _write_kubeconfig(where, name, kubeconfig or "", options)
    elif way == "--print-ssh-config":
        _print_entry(where, meant, options)
    elif way == "--ssh":
        _ssh(where, meant, options)
    elif way == "--forward":
        _forward(where, meant, forward or "", options)
    else:
        _shell(where, meant, options, streams=way == "--ssh-proxy")


def _only(ways: Mapping[str, str | bool | None]) -> str | None:
    given = [option for option, value in ways.items() if value]
    if len(given) > 1:
        raise InputError(f"{given[0]} and {given[1]} are two ways", where=given[1], hint=f"leave out {given[1]}")
    return given[0] if given else None


def _refuse(way: str | None, options: _ConnectOptions) -> None:
    """Refuse options that would say nothing."""
    if options.more and way != "--ssh":
        raise InputError(f"{options.more[0]!r} is for ssh", where=options.more[0], hint="add --ssh, or leave it out")
    if options.key is not None and way not in ("--ssh", "--print-ssh-config"):
        raise InputError("a session needs no key", where="--key", hint="add --ssh, or leave --key out")
    if options.dry_run and way == "--kubeconfig":
        hint = "leave it out: nothing but the context is added, and `aws eks update-kubeconfig --dry-run` shows one"
        raise InputError("--kubeconfig runs no command that could be shown", where="--dry-run", hint=hint)
    if options.user is not None and way in ("--forward", "--ssh-proxy", "--kubeconfig"):
        raise InputError(f"{way} has no user", where="--user", hint="leave it out")
    if options.as_json and not options.dry_run and way not in ("--forward", "--print-ssh-config", "--kubeconfig"):
        raise InputError("a shell is nothing that JSON could hold", where="--json", hint="add --dry-run")


def _shell(where: Account, meant: NodeRequest, options: _ConnectOptions, *, streams: bool) -> None:
    from trainyard.api.connect import aws_command, open_session, shell_on, ssh_stream

    if streams:
        request, words = ssh_stream(where, meant), ""
    else:
        shell = shell_on(where, meant)
        request, words = shell.request, f"{shell.user} on {shell.target.words}"
    if options.dry_run:
        _print_command(aws_command(where, request), options)
        return
    if words:
        reporter()(words)
    _end(open_session(where, request, tell=reporter()))


def _ssh(where: Account, meant: NodeRequest, options: _ConnectOptions) -> None:
    from trainyard.api.connect import become, ssh_words

    words = ssh_words(where, meant, _this_program(), key=options.key, more=options.more)
    if options.dry_run:
        _print_command(words, options)
        return
    become(words)


def _forward(where: Account, meant: NodeRequest, written: str, options: _ConnectOptions) -> None:
    from trainyard.api.connect import find_tunnel, require_free_port

    tunnel = find_tunnel(where, meant, written)
    if tunnel.note is not None:
        reporter()(tunnel.note)
    if options.dry_run:
        _print_command(tunnel.command(where), options)
        return
    forward = tunnel.tunnel_request
    other = forward.local_port + _STEP if forward.local_port + _STEP <= _LARGEST_PORT else forward.local_port - _STEP
    require_free_port(
        forward.local_port,
        f"choose another, such as --forward {forward.name or forward.port}:{other}",
    )

    def opened() -> None:
        if options.as_json:
            ports = {"port": tunnel.port, "local_port": forward.local_port}
            print_json({"url": tunnel.url, **tunnel.end_values, **ports})
        else:
            print_text(tunnel.url)
        reporter()(f"port {tunnel.port} of {tunnel.end} is there until Ctrl-C")

    # What the program prints is no result: standard output has the address alone.
    status = tunnel.hold(where, sys.stderr.fileno(), reporter(), opened)
    _end(status, tunnel.program, tunnel.end_values.get("target"))


def _write_kubeconfig(where: Account, name: str, file: str, options: _ConnectOptions) -> None:
    from trainyard.api.connect import write_kubeconfig

    done = write_kubeconfig(where, name, Path(file) if file else None)
    if options.as_json:
        print_json({"file": str(done.file), "context": done.context, "added": done.added})
        return
    print_text(f"{done.file} {'has now' if done.added else 'has already'} the context {done.context}")
    words = ["kubectl", *(["--kubeconfig", file] if file else []), "--context", done.context, "get", "nodes"]
    reporter()(f"the current context stays what it was; `{shlex.join(words)}` asks the cluster")


def _print_entry(where: Account, meant: NodeRequest, options: _ConnectOptions) -> None:
    from trainyard.api.connect import ssh_entry

    entry = ssh_entry(where, meant, _this_program(), options.key)
    if options.as_json:
        print_json(entry._asdict())
        return
    print_plain(entry.text)
    reporter()(f"`ssh {entry.host}` gets there, once this is in ~/.ssh/config")


def _print_command(words: tuple[str, ...], options: _ConnectOptions) -> None:
    if options.as_json:
        print_json({"command": shlex.join(words), "arguments": list(words)})
    else:
        print_plain(one_line(shlex.join(words)))


def _this_program() -> tuple[str, ...]:
    """Return how this program is called from anywhere, also by an editor that knows no virtual environment."""
    program = Path(sys.argv[0]).absolute()
    is_script = program.name == "trainyard" and os.access(program, os.X_OK)
    return (str(program),) if is_script else (sys.executable, "-m", "trainyard")


def _end(status: int, program: str = "session-manager-plugin", target: str | None = None) -> None:
    """End as the program did that held the session or the tunnel."""
    if status < 0:
        sys.exit(_ENDED_BY_SIGNAL - status)
    if status:
        hint = "what it printed says why; `trainyard status NAME` says how the cluster is"
        raise TrainyardError(f"{program} ended with status {status}", where=target, hint=hint)
