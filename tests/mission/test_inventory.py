"""Every item of the inventory has one test, and every test here one item."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import yaml

HERE = Path(__file__).parent
ITEMS = yaml.load((HERE / "inventory.yaml").read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)


def test_every_item_has_exactly_one_test():
    tests = re.findall(
        r"^def test_([a-z]+)_(\d+)_",
        "\n".join(file.read_text(encoding="utf-8") for file in HERE.glob("test_*.py")),
        re.MULTILINE,
    )
    counted = Counter(f"{section.upper()}-{number}" for section, number in tests)
    assert {item: count for item, count in counted.items() if count > 1} == {}
    assert set(counted) == set(ITEMS)
    assert len(ITEMS) == 94
