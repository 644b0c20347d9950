"""The locked files get to where nodes fetch them from, each once and verified before."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.deploy.conftest import BUCKET
from tests.specs import spec_of
from trainyard.bundle.asset_lock import AssetLock, lock_text
from trainyard.deploy.steps.assets import Mirror, key_of
from trainyard.deploy.work import Event, Work
from trainyard.edge.asset_cache import AssetCache
from trainyard.edge.aws.s3 import sizes_below, upload
from trainyard.edge.downloads import Downloader
from trainyard.errors import TrainyardError
from trainyard.rehearsal.stand_in_assets import place_stand_ins, stand_in_lock

SPEC = spec_of("queues: [{name: q, instance_type: p5.48xlarge, setup: gpu}]\nsoftware: {containers: true}")
LOCK = stand_in_lock(SPEC)


@pytest.fixture
def mirror(work: Work, tmp_path: Path) -> Mirror:
    """A mirror whose files are all in the cache, and that can download nothing."""
    place_stand_ins(LOCK, tmp_path / "assets")
    work.spec, work.assets_lock = SPEC, lock_text(LOCK).encode()
    work.asset_cache = AssetCache(tmp_path / "assets", Downloader(schemes=frozenset()))
    return Mirror()


def in_bucket(work: Work) -> set[str]:
    return set(sizes_below(work.account, BUCKET, "trainyard/llm/assets/"))


def test_every_file_lies_below_its_sha256_with_the_content_of_the_lock(mirror: Mirror, work: Work):
    assert mirror.probe(work).state == "missing"
    assert mirror.apply(work).changed
    assert in_bucket(work) == {f"trainyard/llm/assets/{asset.sha256}/{asset.file}" for asset in LOCK.assets}
    for asset in LOCK.assets:
        answer = work.account.client("s3").get_object(Bucket=BUCKET, Key=key_of(work, asset))
        assert answer["Body"].read().startswith(f"A stand-in for {asset.name} ".encode())
    assert mirror.probe(work).state == "there"


def test_a_lock_that_serves_another_spec_too_brings_nothing_that_this_one_does_not_need(mirror: Mirror, work: Work):
    plain = replace(work, spec=spec_of())
    assert mirror.probe(plain).state == "there"
    assert mirror.apply(plain).detail == "all there"
    assert in_bucket(work) == set()


def test_what_is_there_is_not_uploaded_again(mirror: Mirror, work: Work):
    events: list[Event] = []
    mirror.apply(work)
    outcome = mirror.apply(replace(work, listener=events.append))
    assert (outcome.changed, outcome.detail, events) == (False, "all there", [])


def test_a_call_that_was_killed_goes_on_with_what_is_missing(mirror: Mirror, work: Work, tmp_path: Path):
    first, _ = LOCK.assets
    upload(work.account, BUCKET, key_of(work, first), tmp_path / "assets" / first.sha256 / first.file)
    assert mirror.apply(work).detail.startswith("1 file uploaded")


def test_a_file_of_another_size_is_replaced(mirror: Mirror, work: Work):
    first, *_ = LOCK.assets
    work.account.client("s3").put_object(Bucket=BUCKET, Key=key_of(work, first), Body=b"cut")
    mirror.apply(work)
    assert sizes_below(work.account, BUCKET, key_of(work, first)) == {key_of(work, first): first.size_bytes}


def test_a_damaged_file_of_the_cache_is_never_uploaded(mirror: Mirror, work: Work, tmp_path: Path):
    first, *_ = LOCK.assets
    (tmp_path / "assets" / first.sha256 / first.file).write_bytes(b"x" * first.size_bytes)
    with pytest.raises(TrainyardError):
        mirror.apply(work)
    assert key_of(work, first) not in in_bucket(work)


def test_a_large_file_is_uploaded_in_parts_and_arrives_whole(work: Work, tmp_path: Path):
    content = bytes(range(256)) * 40_000  # beyond the 8 MB from which boto3 uploads in parts
    (tmp_path / "large").write_bytes(content)
    upload(work.account, BUCKET, "large", tmp_path / "large")
    answer = work.account.client("s3").get_object(Bucket=BUCKET, Key="large")
    assert answer["Body"].read() == content
    assert answer["ETag"].strip('"').endswith("-2")


def test_a_bucket_that_is_gone_is_one_clear_line(mirror: Mirror, work: Work):
    with pytest.raises(TrainyardError, match=r"could not upload stand-in-docker-.* to s3://no-bucket/"):
        mirror.apply(replace(work, bucket="no-bucket"))


def test_an_empty_lock_uploads_nothing(mirror: Mirror, work: Work):
    nothing = replace(work, assets_lock=None)
    assert mirror.probe(nothing).state == "there"
    assert not mirror.apply(nothing).changed


def test_undoing_leaves_the_files_to_the_step_of_the_bucket(mirror: Mirror, work: Work):
    mirror.apply(work)
    assert not mirror.undo(work).changed
    assert len(in_bucket(work)) == len(LOCK.assets)


def test_the_same_content_under_two_architectures_is_uploaded_once(mirror: Mirror, work: Work):
    first, *_ = LOCK.assets
    twice = AssetLock((first, first._replace(arch="aarch64")))
    assert mirror.apply(replace(work, assets_lock=lock_text(twice).encode())).detail.startswith("1 file uploaded")
