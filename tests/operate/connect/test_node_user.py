"""As whom people work on a node."""

from __future__ import annotations

import pytest

from trainyard.catalog.parallelcluster import supported_oses
from trainyard.errors import InputError
from trainyard.operate.connect.node_user import default_users, user_of


@pytest.mark.parametrize(
    ("os", "user"),
    [("ubuntu2204", "ubuntu"), ("alinux2023", "ec2-user"), ("rhel9", "ec2-user"), ("rocky9", "rocky")],
    ids=str,
)
def test_the_default_user_is_that_of_the_operating_system(os: str, user: str):
    assert user_of(os, None, "i-1") == user


@pytest.mark.parametrize("version", ["3.8.0", "3.12.0", "3.14.2", "3.16.1"])
def test_every_operating_system_of_parallelcluster_has_a_user(version: str):
    assert set(supported_oses(version) or ["unknown"]) <= set(default_users())


def test_whom_people_name_goes_before_that():
    assert user_of("ubuntu2204", "alice.b", "i-1") == "alice.b"


@pytest.mark.parametrize("name", ["", "-u", "a b", "a;id", "$(id)", "a\nb", "a'b", "ü", "a" * 65], ids=repr)
def test_what_a_shell_would_read_is_no_user(name: str):
    with pytest.raises(InputError, match="is no name of a user"):
        user_of("ubuntu2204", name, "i-1")


@pytest.mark.parametrize(("os", "why"), [(None, "no tag says"), ("plan9", "its operating system is plan9")])
def test_an_operating_system_that_nobody_knows_needs_a_named_user(os: str | None, why: str):
    with pytest.raises(InputError, match=f"the default user of i-1 is not known: {why}") as told:
        user_of(os, None, "i-1")
    assert "--user ssm-user" in str(told.value.hint)
