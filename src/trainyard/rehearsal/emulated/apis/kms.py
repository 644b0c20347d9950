"""KMS: the key pair of a key is made when something signs with it, which hardly anything does; moto makes it at once.

Accounts have a key for each use (disks, secrets, log groups), and making a pair takes a tenth of a second.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from moto.kms import models
from moto.kms.utils import generate_private_key


def install() -> None:
    """Let keys be made without their pairs."""
    setattr(models, generate_private_key.__name__, PrivateKey)


class PrivateKey:
    """Moto's private key of a specification, as soon as somebody asks for anything of it."""

    def __init__(self, specification: str) -> None:
        """Remember what it would be."""
        self._specification = specification

    @cached_property
    def _made(self) -> Any:
        return generate_private_key(self._specification)

    def __getattr__(self, name: str) -> Any:
        """Ask the key itself, which is made now."""
        return getattr(self._made, name)
