"""What lies in the cache is whole and right, whatever happened on the way."""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.edge.publisher import Fault, publishing
from tests.full_disk import files_of_at_most
from tests.waiting import HANGS_S
from trainyard.edge.asset_cache import AssetCache
from trainyard.edge.downloads import Downloader
from trainyard.edge.http_client import HttpClient, RetryPolicy
from trainyard.errors import TrainyardError

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]
CONTENT = b"a release of something\n" * 1000
SHA256 = hashlib.sha256(CONTENT).hexdigest()
SHA512 = hashlib.sha512(CONTENT).hexdigest()
PATH, FILE = "/v1/thing-1.0.tar.gz", "thing-1.0.tar.gz"


@pytest.fixture
def publisher():
    with publishing() as made:
        made.files[PATH] = CONTENT
        yield made


@pytest.fixture
def cache(tmp_path):
    http = HttpClient(timeout_s=HANGS_S, retry=RetryPolicy(attempts=2, first_pause_s=0.0))
    downloader = Downloader(schemes=frozenset({"http"}), http=http)
    return AssetCache(tmp_path / "assets", downloader)


def whole(cache: AssetCache) -> list[str]:
    return sorted(
        str(file.relative_to(cache.folder)) for file in cache.folder.glob("*/*") if "unfinished" not in str(file)
    )


@pytest.mark.parametrize("digest", [None, SHA256, SHA512], ids=["pinned", "SHA-256", "SHA-512"])
def test_a_file_lies_below_its_sha256(publisher, cache, digest):
    got = cache.get(publisher.url(PATH), FILE, digest, len(CONTENT))
    assert got == (cache.folder / SHA256 / FILE, SHA256, len(CONTENT))
    assert got.path.read_bytes() == CONTENT


@pytest.mark.parametrize("digest", [SHA256, SHA512], ids=["SHA-256", "SHA-512"])
def test_what_is_there_and_right_is_not_downloaded_again(publisher, cache, digest):
    cache.get(publisher.url(PATH), FILE, digest)
    cache.get(publisher.url(PATH), FILE, digest)
    assert len(publisher.requests) == 1


def test_what_is_there_and_damaged_is_downloaded_again(publisher, cache):
    path = cache.get(publisher.url(PATH), FILE, SHA256).path
    path.write_bytes(CONTENT[:-1])
    assert cache.get(publisher.url(PATH), FILE, SHA256).path.read_bytes() == CONTENT


@pytest.mark.parametrize(
    ("digest", "size_bytes", "said"),
    [
        ("0" * 64, None, f"its SHA256 is {SHA256} instead of 0000"),
        ("0" * 128, None, f"its SHA512 is {SHA512} instead of 0000"),
        (SHA256, 5, f"it has {len(CONTENT):,} bytes instead of 5"),
    ],
)
def test_another_file_is_refused_and_nothing_of_it_is_kept(publisher, cache, digest, size_bytes, said):
    with pytest.raises(TrainyardError, match="is not the file that it should be") as caught:
        cache.get(publisher.url(PATH), FILE, digest, size_bytes)
    assert said in caught.value.problem
    assert whole(cache) == []
    assert list(cache.folder.glob("unfinished/*.part")) == []


def test_a_part_never_lies_where_whole_files_do(publisher, cache):
    publisher.faults[PATH] = [Fault(only_bytes=10)] * 2
    with pytest.raises(TrainyardError, match="in 2 attempts"):
        cache.get(publisher.url(PATH), FILE, SHA256)
    assert whole(cache) == []
    assert cache.get(publisher.url(PATH), FILE, SHA256).path.read_bytes() == CONTENT


def test_a_rest_that_does_not_fit_its_beginning_begins_anew(publisher, cache):
    publisher.faults[PATH] = [Fault(only_bytes=10), Fault(404)]
    with pytest.raises(TrainyardError):
        cache.get(publisher.url(PATH), FILE, SHA256)
    (part,) = cache.folder.glob("unfinished/*.part")
    part.write_bytes(b"x" * 10)
    assert cache.get(publisher.url(PATH), FILE, SHA256).path.read_bytes() == CONTENT


def test_a_full_disk_is_one_clear_line_and_rerunning_with_room_succeeds(publisher, cache):
    with files_of_at_most(5000), pytest.raises(TrainyardError, match="no space left below") as caught:
        cache.get(publisher.url(PATH), FILE, SHA256)
    assert "TRAINYARD_CACHE" in (caught.value.hint or "")
    assert whole(cache) == []
    assert cache.get(publisher.url(PATH), FILE, SHA256).path.read_bytes() == CONTENT


def test_a_folder_that_cannot_be_written_to_is_one_clear_line(publisher, cache):
    with pytest.raises(TrainyardError, match="could not keep http") as caught:
        AssetCache(Path("/proc/assets"), cache.downloader).get(publisher.url(PATH), FILE)
    assert "set TRAINYARD_CACHE to another folder" in (caught.value.hint or "")


def test_of_several_at_once_one_downloads_it_and_the_others_wait(publisher, cache):
    with ThreadPoolExecutor(4) as pool:
        got = list(pool.map(lambda _: cache.get(publisher.url(PATH), FILE, SHA256), range(4)))
    assert {one.path.read_bytes() for one in got} == {CONTENT}
    assert len(publisher.requests) == 1
