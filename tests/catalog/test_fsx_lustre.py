"""What FSx for Lustre offers."""

from __future__ import annotations

import typing

import pytest

from trainyard.catalog.storage import lustre_deployment
from trainyard.errors import TrainyardError
from trainyard.spec.file_system import Lustre

NAMES = ("PERSISTENT_2", "PERSISTENT_1", "SCRATCH_2")


def test_every_deployment_type_of_the_spec_is_known():
    assert set(typing.get_args(typing.get_type_hints(Lustre)["deployment"])) == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("size_gib", [1200, 2400, 4800, 7200, 100800])
def test_a_size_on_the_ladder_exists_and_is_its_own_nearest(name, size_gib):
    assert lustre_deployment(name).nearest_sizes_gib(size_gib) == (size_gib,)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("size_gib", "nearest"),
    [
        (-1, (1200,)),
        (0, (1200,)),
        (1, (1200,)),
        (1199, (1200,)),
        (1201, (1200, 2400)),
        (2399, (1200, 2400)),
        (2401, (2400, 4800)),
        (3600, (2400, 4800)),
        (5000, (4800, 7200)),
    ],
)
def test_a_size_between_two_steps_does_not_exist_and_names_its_neighbours(name, size_gib, nearest):
    assert lustre_deployment(name).nearest_sizes_gib(size_gib) == nearest


@pytest.mark.parametrize(
    ("throughput", "size_gib", "nearest"),
    [
        (125, 38400, (38400,)),
        (125, 1200, (38400,)),
        (250, 40000, (38400, 57600)),
        (500, 9600, (9600,)),
        (1000, 7200, (4800, 9600)),
    ],
)
def test_a_file_system_with_efa_has_whole_servers(throughput, size_gib, nearest):
    assert lustre_deployment("PERSISTENT_2").nearest_sizes_gib(size_gib, throughput) == nearest


def test_metadata_iops_come_in_steps_up_to_a_limit():
    offer = lustre_deployment("PERSISTENT_2")
    asked = (0, 1500, 3000, 4500, 6000, 12000, 18000, 24000, 192000, 204000)
    assert [iops for iops in asked if offer.metadata_iops_exist(iops)] == [1500, 3000, 6000, 12000, 24000, 192000]
    assert not lustre_deployment("PERSISTENT_1").metadata_iops_exist(1500)


@pytest.mark.parametrize(
    ("name", "throughputs"),
    [("PERSISTENT_2", (125, 250, 500, 1000)), ("PERSISTENT_1", (50, 100, 200)), ("SCRATCH_2", ())],
)
def test_a_deployment_type_offers_its_throughputs(name, throughputs):
    assert lustre_deployment(name).throughputs_mb_s_per_tib == throughputs


def test_an_unknown_deployment_type_is_an_error_that_lists_the_known_ones():
    with pytest.raises(TrainyardError) as caught:
        lustre_deployment("SCRATCH_1")
    assert caught.value.problem == "the catalog has no facts about the Lustre deployment type 'SCRATCH_1'"
    assert caught.value.hint == "use one of PERSISTENT_2, PERSISTENT_1, SCRATCH_2"
