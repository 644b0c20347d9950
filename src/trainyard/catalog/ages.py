"""How old the facts of the catalog are: when each file was compared with its sources, and until when it is believed."""

from __future__ import annotations

from datetime import date, timedelta
from functools import cache
from typing import NamedTuple

from pydantic_core import from_json

from trainyard.catalog import catalog_file

_NO_FACTS = {"belief.json", "content.json", "compiled.json", "compiled_deployment.json"}


class Age(NamedTuple):
    """How old a file of the catalog is."""

    file: str
    """Below catalog/."""
    looked: date
    """The oldest look at one of its sources."""
    until: date
    """The last day on which its facts are believed."""


def ages() -> tuple[Age, ...]:
    """Return the age of every file of the catalog, the one that is believed the shortest first."""
    paths = [*catalog_file.FOLDER.rglob("*.yaml"), *catalog_file.FOLDER.rglob("*.json")]
    files = {path.relative_to(catalog_file.FOLDER).as_posix(): path for path in paths}
    for name in files.keys() - catalog_file.LOOKED.keys() - _NO_FACTS:
        read = catalog_file.json_content if name.endswith(".json") else catalog_file.content
        read(files[name])
    return ages_of_read_files()


def ages_of_read_files() -> tuple[Age, ...]:
    """Return the ages of the files that this process has read so far, in the same order."""
    return tuple(sorted((_age(file, looked) for file, looked in catalog_file.LOOKED.items()), key=_until))


def days_believed(file: str) -> int:
    """Return for how many days a file is believed: belief.json has each, or its folder. Raises KeyError for others."""
    folder, slash, _ = file.partition("/")
    return _days()[folder + slash]


def _age(file: str, looked: str) -> Age:
    day = date.fromisoformat(looked)
    return Age(file, day, day + timedelta(days=days_believed(file)))


def _until(age: Age) -> tuple[date, str]:
    return age.until, age.file


@cache
def _days() -> dict[str, int]:
    days: dict[str, int] = from_json((catalog_file.FOLDER / "belief.json").read_bytes())["days"]
    return days
