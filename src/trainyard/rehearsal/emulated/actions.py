"""Puts actions into moto's own classes: the one place where something of moto's is replaced."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from moto.core import responses as moto_responses
from moto.core.utils import method_names_from_class

# Moto looks through all members of a class for each call, which takes a sixth of the call.
_method_names = cache(method_names_from_class)
setattr(moto_responses, method_names_from_class.__name__, _method_names)


def add(responses: type, *actions: Callable[..., Any]) -> None:
    """Give a response class of moto's these actions: ``describe_volumes`` answers DescribeVolumes."""
    for action in actions:
        setattr(responses, action.__name__, action)
    _method_names.cache_clear()


def wrap(owner: Any, name: str, wrapper: Callable[..., Any]) -> None:
    """Replace a function of moto's by one that gets the former as its first argument."""
    former = getattr(owner, name)

    def wrapped(*arguments: Any, **named: Any) -> Any:
        return wrapper(former, *arguments, **named)

    wrapped.__name__ = name
    setattr(owner, name, wrapped)
