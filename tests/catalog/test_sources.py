"""Every fact of the catalog stands below a source that its file describes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from trainyard.catalog import catalog_file

FILES = {str(path.relative_to(catalog_file.FOLDER)): path for path in sorted(catalog_file.FOLDER.rglob("*.yaml"))}
_NO_FACTS = {"sources", "compared_lines"}


def _used(content: Any, sources: set[str]) -> Iterator[str]:
    """Yield the sources that facts stand below. A value outside of every source is an error."""
    assert isinstance(content, dict), content
    for key, value in content.items():
        if key in sources and not set(value) <= sources:  # an asset may be called like its source
            yield key
        else:
            yield from _used(value, sources)


@pytest.mark.parametrize("name", FILES)
def test_every_fact_has_a_source_and_every_source_is_used(name):
    content = catalog_file.content(FILES[name])
    sources = set(content["sources"])
    facts = {key: value for key, value in content.items() if key not in _NO_FACTS}
    assert set(_used(facts, sources)) == sources


@pytest.mark.parametrize("name", FILES)
def test_every_source_has_an_address_and_a_date(name):
    sources = catalog_file.validated({"sources": catalog_file.content(FILES[name])["sources"]}).sources
    assert all(source.url.startswith("https://") and source.read >= "2026-01-01" for source in sources.values())
