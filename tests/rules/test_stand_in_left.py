import pytest

from tests.rules.found import paths

RULE = "stand-in-left"

QUEUE = "queues: [{{name: q, instance_type: p5.48xlarge, capacity: {{reservation: {id}}}}}]"


def test_an_id_of_zeros_is_found_where_it_stands():
    assert paths(RULE, QUEUE.format(id="cr-00000000000000000")) == ["queues[0].capacity.reservation"]


@pytest.mark.parametrize("id_", ["cr-0a1b2c3d4e5f60718", "cr-0123456789abcdef0", "cr-12345678"])
def test_other_ids_are_left_alone(id_: str):
    assert paths(RULE, QUEUE.format(id=id_)) == []


@pytest.mark.parametrize("bucket", ["s3://replace-me", "s3://placeholder-bucket/x", "s3://xxxxxxxx"])
def test_words_that_ask_to_be_replaced_are_found(bucket: str):
    part = f"file_systems: [{{mount: /fsx, lustre: {{size_gib: 1200, throughput_mb_s_per_tib: 250, data_repository: '{bucket}'}}}}]"  # noqa: E501
    assert paths(RULE, part) == ["file_systems[0].lustre.data_repository"]


def test_tags_are_searched_too():
    assert paths(RULE, "tags: {owner: PLACEHOLDER_OWNER}") == ["tags.owner"]
