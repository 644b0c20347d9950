"""The catalog's files as JSON, which a check reads in their place."""

from __future__ import annotations

from pathlib import Path

import yaml

from trainyard.catalog import catalog_file

FILES = sorted(catalog_file.FOLDER.rglob("*.yaml"))


def test_what_is_stored_of_a_file_is_what_stands_in_it():
    for path in FILES:
        text = path.read_bytes()
        stored = catalog_file.json_line(catalog_file.STORED.read_bytes(), catalog_file.stored_name(path, text))
        assert stored is not None, path.name
        assert stored == catalog_file.with_tuples(yaml.safe_load(text)) == catalog_file.content(path), path.name


def test_a_file_that_was_changed_is_read_itself():
    path = FILES[0]
    stored = catalog_file.STORED.read_bytes()
    assert catalog_file.json_line(stored, catalog_file.stored_name(path, path.read_bytes() + b"# new\n")) is None


def test_a_file_that_is_not_the_catalog_s_is_read_itself(tmp_path: Path):
    file = tmp_path / "p5.yaml"
    file.write_text("sources: {a: {what: w, url: https://example.com, read: '2026-11-22'}}\nlist: [1, 2]\n")
    assert catalog_file.content(file)["list"] == (1, 2)


def test_a_line_is_found_by_its_whole_key():
    lines = b'{\n"ab": [1],\n"b": {"b": [2]}\n}\n'
    assert catalog_file.json_line(lines, "b") == {"b": (2,)}
    assert catalog_file.json_line(lines, "ab") == (1,)
    assert catalog_file.json_line(lines, "a") is None
