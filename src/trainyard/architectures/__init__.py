"""The reference architectures: complete specs to start from."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from trainyard.errors import InputError

_FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Architecture:
    """A reference architecture and the text of its spec."""

    name: str
    summary: str
    text: str


def all_architectures() -> tuple[Architecture, ...]:
    """Return every reference architecture, by name."""
    return tuple(_read(file) for file in sorted(_FOLDER.glob("*.yaml")))


def find_architecture(name: str) -> Architecture:
    """Return a reference architecture. Raises InputError with the nearest name where there is none."""
    names = [file.stem for file in sorted(_FOLDER.glob("*.yaml"))]
    if name not in names:
        close = get_close_matches(name, names, n=1)
        hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(names)}"
        raise InputError(f"no architecture is called {name!r}", where="ARCH", hint=hint)
    return _read(_FOLDER / f"{name}.yaml")


def _read(file: Path) -> Architecture:
    text = file.read_text(encoding="utf-8")
    return Architecture(file.stem, text.split("\n", 1)[0].removeprefix("# "), text)
