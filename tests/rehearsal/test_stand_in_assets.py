"""What a rehearsal uploads in place of what it does not download."""

from __future__ import annotations

import hashlib

import pytest

from tests.architectures.by_platform import architectures_on
from tests.specs import spec_of
from trainyard.bundle.asset_lock import compare_lock, lock_text, parse_lock
from trainyard.rehearsal.report.conditions import only_aws_can_tell
from trainyard.rehearsal.stand_in_assets import place_stand_ins, stand_in_lock
from trainyard.render.needed_assets import needed_assets
from trainyard.spec.parsing import parse

SPECS = [pytest.param(parse(one.text, "cluster.yaml").spec, id=one.name) for one in architectures_on("parallelcluster")]


@pytest.mark.parametrize("spec", SPECS)
def test_a_made_up_lock_is_a_lock_and_has_all_that_is_needed(spec):
    lock = stand_in_lock(spec)
    assert compare_lock(needed_assets(spec), lock).up_to_date
    assert parse_lock(lock_text(lock).encode(), "assets.lock.json") == lock


@pytest.mark.parametrize("spec", SPECS)
def test_its_files_are_what_it_says_and_say_that_they_are_made_up(spec, tmp_path):
    lock = stand_in_lock(spec)
    place_stand_ins(lock, tmp_path)
    for asset in lock.assets:
        content = (tmp_path / asset.sha256 / asset.file).read_bytes()
        assert (hashlib.sha256(content).hexdigest(), len(content)) == (asset.sha256, asset.size_bytes)
        assert b"A rehearsal made it up; nothing was downloaded." in content
        assert asset.url.startswith("https://stand-in.invalid/")
        assert asset.verified_by is None


def test_a_report_says_that_the_real_downloads_were_not_made():
    text = "uploaded small files of its own instead"
    asks = spec_of("monitoring: {mode: amp-only}")
    assert [claim for claim in only_aws_can_tell(asks) if text in claim]
    assert not [claim for claim in only_aws_can_tell(spec_of()) if text in claim]
