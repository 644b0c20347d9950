"""The user's own kubeconfig: a context is added that he asked for, or taken out again, and nothing else changes.

Entries are called by the ARN of the cluster and get their tokens from the AWS CLI, as `aws eks update-kubeconfig` does:
https://docs.aws.amazon.com/cli/latest/reference/eks/update-kubeconfig.html
"""

from __future__ import annotations

import io
import os
import stat
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from trainyard.edge.text_file import read_small_file
from trainyard.errors import TrainyardError

_MOST_BYTES = 4 * 2**20
_OWN_ONLY = 0o600
_LISTS = ("clusters", "contexts", "users")


class Context(NamedTuple):
    """What leads to one cluster."""

    arn: str
    name: str
    region: str
    server: str
    certificate_authority: str
    profile: str | None = None

    def entries(self) -> dict[str, dict[str, Any]]:
        """Return what stands in the lists of a kubeconfig."""
        words = ["--region", self.region, "eks", "get-token", "--cluster-name", self.name, "--output", "json"]
        plugin: dict[str, Any] = {"apiVersion": "client.authentication.k8s.io/v1beta1", "args": words, "command": "aws"}
        if self.profile is not None:
            plugin["env"] = [{"name": "AWS_PROFILE", "value": self.profile}]
        cluster = {"certificate-authority-data": self.certificate_authority, "server": self.server}
        return {
            "clusters": {"cluster": cluster, "name": self.arn},
            "contexts": {"context": {"cluster": self.arn, "user": self.arn}, "name": self.arn},
            "users": {"name": self.arn, "user": {"exec": plugin}},
        }


def user_kubeconfig(path: Path | None = None) -> Path:
    """Return the file that gets contexts: the one that is given, the first of KUBECONFIG, or kubectl's own."""
    listed = [part for part in os.environ.get("KUBECONFIG", "").split(os.pathsep) if part]
    return path or (Path(listed[0]) if listed else Path.home() / ".kube" / "config")


def refuse_unwritable(file: Path) -> None:
    """Raise TrainyardError where the file cannot be read as a kubeconfig, or may not be written."""
    target = _target(file)
    _read(target)
    _refuse_read_only(file, target)


def _refuse_read_only(file: Path, target: Path) -> None:
    # Root may write what nobody is to write.
    if target.exists() and not (target.stat().st_mode & stat.S_IWUSR and os.access(target, os.W_OK)):
        raise _unwritable(file, "it is read-only")
    folder = next(parent for parent in target.parents if parent.exists())
    if not folder.is_dir():
        raise _unwritable(file, f"{folder} is no folder")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise _unwritable(file, f"folder {folder} is read-only")


def refuse_other_entry(file: Path, arn: str, server: str | None = None) -> None:
    """Raise TrainyardError where an entry of the name leads elsewhere; to any server where none is known yet."""
    _refuse_other_entry(file, _read(_target(file)), arn, server)


def _refuse_other_entry(file: Path, document: Mapping[str, Any], arn: str, server: str | None) -> None:
    entries = {key: _named(document, key, arn) for key in _LISTS}
    cluster = (entries["clusters"] or {}).get("cluster") or {}
    context = (entries["contexts"] or {}).get("context") or {}
    elsewhere = [
        (entries["clusters"] is not None and cluster.get("server") != server, f"leads to {cluster.get('server')}"),
        (
            entries["contexts"] is not None and (context.get("cluster"), context.get("user")) != (arn, arn),
            f"is a context of cluster {context.get('cluster')} and user {context.get('user')}",
        ),
        (entries["users"] is not None and not _is_token_of(entries["users"], arn), "is a user who signs in otherwise"),
    ]
    for wrong, what in elsewhere:
        if wrong:
            raise TrainyardError(
                f"{file} has an entry {arn} already, which {what}",
                where=str(file),
                hint=f"nothing was changed; if nobody needs it: `kubectl config delete-context {arn}`, and the same "
                "with delete-cluster and delete-user; or name another file in KUBECONFIG",
            )


def add_context(file: Path, context: Context) -> bool:
    """Add the context, and return whether anything was missing. The current context stays what it is.

    Raises TrainyardError where it is missing and the file may not be written, or where an entry of that name leads
    elsewhere.
    """
    target = _target(file)
    document = _read(target)
    _refuse_other_entry(file, document, context.arn, context.server)
    added = False
    for key, entry in context.entries().items():
        if _named(document, key, context.arn) is None:
            if not document.get(key):
                document[key] = []
            document[key].append(entry)
            added = True
    if added:
        _refuse_read_only(file, target)
        _write(target, document)
    return added


def remove_context(file: Path, arn: str, server: str) -> bool:
    """Take out the entries of a cluster that lead to that server, and return whether there were any."""
    target = _target(file)
    document = _read(target)
    cluster = (_named(document, "clusters", arn) or {}).get("cluster") or {}
    if cluster.get("server") != server:
        return False
    _refuse_read_only(file, target)
    for key in _LISTS:
        entry = _named(document, key, arn)
        if entry is not None and (key != "users" or _is_token_of(entry, arn)):
            document[key].remove(entry)
    if document.get("current-context") == arn:
        document["current-context"] = ""
    _write(target, document)
    return True


def _is_token_of(user: Mapping[str, Any], arn: str) -> bool:
    """Return whether a user gets his tokens from the AWS CLI, for the cluster of an ARN."""
    plugin = (user.get("user") or {}).get("exec") or {}
    words = [str(word) for word in plugin.get("args") or ()]
    name, region = arn.rpartition("/")[2], arn.split(":")[3]
    token_words = {"get-token", name, region}
    return Path(str(plugin.get("command", ""))).name == "aws" and token_words <= set(words)


def _named(document: Mapping[str, Any], key: str, name: str) -> Any:
    listed = document.get(key) or ()
    return next((entry for entry in listed if isinstance(entry, dict) and entry.get("name") == name), None)


def _target(file: Path) -> Path:
    """Return what the file is, where it is a link."""
    try:
        return file.expanduser().resolve()
    except (OSError, RuntimeError) as error:  # a circle of links is the latter, up to Python 3.12
        raise _unwritable(file, "it is a link that leads nowhere") from error


def _read(target: Path) -> Any:
    content = read_small_file(target, _MOST_BYTES)
    if content is None or not content.strip():
        return {"apiVersion": "v1", "kind": "Config", "preferences": {}, "current-context": ""}
    try:
        document = _yaml().load(content)
    except (YAMLError, ValueError) as error:
        raise _unwritable(target, f"it is no YAML: {str(error).splitlines()[0]}") from error
    lists = [document.get(key) for key in _LISTS] if isinstance(document, dict) else [""]
    if any(list_ is not None and not isinstance(list_, list) for list_ in lists):
        raise _unwritable(target, "it is no kubeconfig")
    return document


def _write(target: Path, document: Any) -> None:
    """Replace the file, whole or not at all. It keeps its mode; a new one is for its owner alone."""
    text = io.StringIO()
    _yaml().dump(document, text)
    try:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else _OWN_ONLY
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", dir=target.parent, prefix=".config.", delete=False
        ) as new:
            try:
                new.write(text.getvalue())
                new.flush()
                os.fsync(new.fileno())
                Path(new.name).chmod(mode)
                Path(new.name).replace(target)
            except BaseException:
                with suppress(FileNotFoundError):
                    Path(new.name).unlink()
                raise
    except OSError as error:
        raise _unwritable(target, str(error.strerror)) from error


def _yaml() -> YAML:
    yaml = YAML(typ="rt")
    yaml.preserve_quotes = True
    yaml.width = 2**16  # certificates stay on their line
    return yaml


def _unwritable(file: Path, why: str) -> TrainyardError:
    return TrainyardError(
        f"kubeconfig {file} cannot be used: {why}",
        where=str(file),
        hint="put that right, or name another file in KUBECONFIG",
    )
