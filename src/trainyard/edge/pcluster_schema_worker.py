"""Loads configs with ParallelCluster's own schema. Run by the Python of its environment, never imported by trainyard.

Standard input: a JSON list of ``{"text", "cluster_name", "region"}``. Standard output: a JSON list with, for each,
its complaints ``[{"path": ["Scheduling", "SlurmQueues", 0], "message": "…"}]``. Python 3.9 syntax.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Iterator
from typing import Any

_NETWORK_EVENTS = frozenset({"socket.connect", "socket.getaddrinfo", "socket.sendto", "socket.sendmsg"})


def main() -> None:
    """Answer one request."""
    configs = json.load(sys.stdin)
    sys.addaudithook(refuse_network)
    with contextlib.redirect_stdout(sys.stderr):  # pcluster.utils.warn prints
        place_sequence_errors()
        answer = [list(complaints(config)) for config in configs]
    json.dump(answer, sys.stdout)


def refuse_network(event: str, _arguments: tuple[object, ...]) -> None:
    """Stop whatever would leave this machine: a check that waits for AWS would hang where there is none."""
    if event in _NETWORK_EVENTS:
        message = "a schema check makes no connection"
        raise PermissionError(message)


def complaints(config: dict[str, str]) -> Iterator[dict[str, Any]]:
    """Load a config the way ``pcluster create-cluster`` does; yield what is wrong, also when pcluster breaks on it."""
    # The functions of this file are tested where there is no pcluster, nor can mypy see it.
    from marshmallow import ValidationError  # type: ignore[import-not-found]  # noqa: PLC0415
    from pcluster.models.common import BadRequest, parse_config  # type: ignore[import-not-found]  # noqa: PLC0415
    from pcluster.schemas.cluster_schema import ClusterSchema  # type: ignore[import-not-found]  # noqa: PLC0415

    os.environ["AWS_DEFAULT_REGION"] = config["region"]  # pcluster's defaults depend on it
    try:
        ClusterSchema(cluster_name=config["cluster_name"]).load(parse_config(config["text"]))
    except ValidationError as error:
        yield from flatten(error.messages)
    except BadRequest as error:  # it is no YAML
        yield {"path": [], "message": " ".join(str(error).split())}
    except (Exception, SystemExit) as error:  # noqa: BLE001 - its authors did not foresee this config
        yield {"path": [], "message": f"ParallelCluster cannot read this config: {type(error).__name__}: {error}"}


def flatten(messages: object, path: tuple[str | int, ...] = ()) -> Iterator[dict[str, Any]]:
    """Yield one complaint for each message in marshmallow's nested dicts; ``_schema`` stands for the dict itself.

    https://marshmallow.readthedocs.io/en/3.x-line/quickstart.html#validation
    """
    if isinstance(messages, dict):
        for key, inner in messages.items():
            yield from flatten(inner, path if key == "_schema" else (*path, _step(key)))
    elif isinstance(messages, (list, tuple)):
        for inner in messages:
            yield from flatten(inner, path)
    else:
        yield {"path": list(path), "message": str(messages)}


def _step(key: object) -> str | int:
    return key if isinstance(key, int) and not isinstance(key, bool) else str(key)


def place_sequence_errors() -> None:
    """Make pcluster say which script of a custom action's ``Sequence`` is wrong: it loads them under one name.

    Its OneOrManyCustomActionField stops at the first wrong script and leaves ``Sequence`` and the position out.
    """
    from marshmallow import ValidationError  # noqa: PLC0415 - as in complaints()
    from pcluster.schemas.cluster_schema import OneOrManyCustomActionField  # noqa: PLC0415

    load = OneOrManyCustomActionField._deserialize  # noqa: SLF001 - marshmallow's hook has no public name

    def load_and_place(field: object, value: Any, *context: object, **more: object) -> object:
        try:
            return load(field, value, *context, **more)
        except ValidationError:
            wrong = {}
            for position, script in enumerate(value["Sequence"] if isinstance(value.get("Sequence"), list) else ()):
                try:
                    load(field, {"Sequence": [script]}, *context, **more)
                except ValidationError as error:
                    wrong[position] = error.messages
            if not wrong:
                raise
        raise ValidationError({"Sequence": wrong})

    OneOrManyCustomActionField._deserialize = load_and_place  # noqa: SLF001


if __name__ == "__main__":
    main()
