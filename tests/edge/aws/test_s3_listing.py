"""What lies in a folder, and the beginnings of objects."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.edge.aws.in_memory import account_in_memory
from trainyard.edge.aws import s3
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.s3_lookup import first_bytes, objects_in

BUCKET = "ml-bucket"


@pytest.fixture
def account() -> Iterator[Account]:
    with account_in_memory() as made:
        s3.make_bucket(made, BUCKET)
        yield made


def test_a_folder_holds_its_objects_and_not_those_of_folders_below(account):
    for key in ("a/one", "a/two", "a/below/three", "ab/four"):
        s3.put(account, BUCKET, key, b"content")
    listing = objects_in(account, BUCKET, "a", 1)
    assert (set(listing.objects), listing.whole) == ({"one", "two"}, True)
    assert listing.objects["one"].size_bytes == 7


def test_the_tag_of_an_object_is_the_one_that_reading_it_gives_and_changes_with_it(account):
    s3.put(account, BUCKET, "a/one", b"1")
    before = objects_in(account, BUCKET, "a", 1).objects["one"].etag
    assert first_bytes(account, BUCKET, "a/one", 9) == (b"1", before)
    s3.put(account, BUCKET, "a/one", b"2")
    assert objects_in(account, BUCKET, "a", 1).objects["one"].etag != before


def test_a_listing_ends_after_the_pages_asked_for_and_says_so(account):
    for number in range(1001):
        s3.put(account, BUCKET, f"a/{number:04}", b"")
    first, both = objects_in(account, BUCKET, "a", 1), objects_in(account, BUCKET, "a", 2)
    assert (len(first.objects), first.whole) == (1000, False)
    assert (len(both.objects), both.whole) == (1001, True)


@pytest.mark.parametrize(("most", "content"), [(4, b"0123"), (10, b"0123456789"), (99, b"0123456789")])
def test_no_more_of_an_object_is_read_than_asked_for(account, most, content):
    s3.put(account, BUCKET, "a", b"0123456789")
    object_ = first_bytes(account, BUCKET, "a", most)
    assert object_ is not None
    assert object_.content == content


def test_what_is_not_there_is_none_and_an_empty_listing(account):
    assert first_bytes(account, BUCKET, "a", 1) is None
    assert first_bytes(account, "nobody-s-bucket", "a", 1) is None
    assert objects_in(account, "nobody-s-bucket", "a", 1).objects == {}
