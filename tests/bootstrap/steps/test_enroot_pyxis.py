"""Enroot on every node, and Pyxis in the one file that all nodes share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bootstrap.steps.stubs import FakeNode, changes_nothing, complaint, runs_well

STEP = "35-enroot-pyxis"
PLUGSTACK = "opt/slurm/etc/plugstack.conf"
LINE = "required /usr/local/lib/slurm/spank_pyxis.so runtime_path=/run/pyxis\n"
SYSTEMS = ("ubuntu2204", "ubuntu2404", "alinux2023")
ROLES = ("head", "login", "compute-gpu", "compute-cpu")


def slurm_node(place: Path, os_name: str = "ubuntu2204", *, role: str = "head") -> FakeNode:
    node = FakeNode(place, os_name, role=role)
    node.write("usr/local/lib/slurm/spank_pyxis.so")
    node.write("usr/bin/enroot")
    node.write("opt/slurm/etc/slurm.conf")
    node.write("etc/parallelcluster/cfnconfig", "cfn_ephemeral_dir=/scratch\n")
    node.unit("slurmctld.service", enabled=True, active=role == "head")
    return node


def mode(node: FakeNode, path: str) -> str:
    return oct((node.root / path).stat().st_mode & 0o7777)


@pytest.mark.parametrize("os_name", SYSTEMS)
def test_the_head_node_enables_pyxis_and_tells_slurm(tmp_path: Path, os_name: str):
    node = slurm_node(tmp_path, os_name)
    runs_well(node, STEP)
    assert node.read(PLUGSTACK) == LINE
    assert node.calls("scontrol") == [["scontrol", "reconfigure"]]
    changes_nothing(node, STEP)


def test_slurm_is_told_only_once_the_file_is_whole(tmp_path: Path):
    node = slurm_node(tmp_path)
    node.program("scontrol", f'cp "$TRAINYARD_SYSROOT/{PLUGSTACK}" "$STUB/seen"')
    runs_well(node, STEP)
    assert (node.stub / "seen").read_text() == LINE


def test_nothing_is_ever_written_where_slurm_includes_every_file(tmp_path: Path):
    node = slurm_node(tmp_path)
    (node.root / "opt/slurm/etc/plugstack.conf.d").mkdir()
    runs_well(node, STEP)
    assert list((node.root / "opt/slurm/etc/plugstack.conf.d").iterdir()) == []
    assert sorted(path.name for path in (node.root / "opt/slurm/etc").iterdir()) == [
        "plugstack.conf", "plugstack.conf.d", "slurm.conf",
    ]  # fmt: skip


@pytest.mark.parametrize("role", [role for role in ROLES if role != "head"])
def test_other_nodes_leave_the_shared_file_alone(tmp_path: Path, role: str):
    node = slurm_node(tmp_path, role=role)
    runs_well(node, STEP)
    assert not node.has(PLUGSTACK)
    assert node.calls("scontrol") == []
    changes_nothing(node, STEP)


@pytest.mark.parametrize("folder", ["run/enroot/user-0", "var/enroot/user-0"])
def test_the_folders_of_roots_containers_are_roots(tmp_path: Path, folder: str):
    node = slurm_node(tmp_path)
    runs_well(node, STEP)
    assert mode(node, folder) == "0o700"
    assert "d /run/enroot/user-0 0700 root root -" in node.read("etc/tmpfiles.d/trainyard-enroot.conf")


@pytest.mark.parametrize("folder", ["run/enroot/user-0", "var/enroot/user-0"])
def test_a_link_that_a_user_has_left_for_root_is_not_followed(tmp_path: Path, folder: str):
    node = slurm_node(tmp_path)
    (node.root / "home/mallory").mkdir(parents=True)
    (node.root / folder).parent.mkdir(parents=True)
    (node.root / folder).symlink_to(node.root / "home/mallory")
    assert "which was not root's" in runs_well(node, STEP)
    assert not (node.root / folder).is_symlink()
    assert mode(node, "home/mallory") != "0o700"
    changes_nothing(node, STEP)


def test_a_folder_that_a_user_has_left_for_root_goes_with_all_that_is_in_it(tmp_path: Path):
    node = slurm_node(tmp_path)
    node.write("var/enroot/user-0/data/image/etc/rc", "planted")
    node.program("stat", 'case $* in *%u*user-0) echo 1001 ;; *) exec /usr/bin/stat "$@" ;; esac')
    runs_well(node, STEP)
    assert list((node.root / "var/enroot/user-0").iterdir()) == []


@pytest.mark.parametrize("role", ROLES)
def test_mpi_in_containers_finds_slurms_pmix(tmp_path: Path, role: str):
    node = slurm_node(tmp_path, role=role)
    node.write("usr/share/enroot/hooks.d/50-slurm-pmi.sh", "#!/usr/bin/env bash\n# from the package\n")
    runs_well(node, STEP)
    assert node.read("etc/enroot/hooks.d/50-slurm-pmi.sh").endswith("# from the package\n")
    assert mode(node, "etc/enroot/hooks.d/50-slurm-pmi.sh") == "0o755"
    changes_nothing(node, STEP)


def test_an_enroot_without_that_hook_is_no_reason_to_fail(tmp_path: Path):
    node = slurm_node(tmp_path)
    assert "this Enroot has no hook for PMIx" in runs_well(node, STEP)
    assert not node.has("etc/enroot/hooks.d")


def test_lines_of_others_stay(tmp_path: Path):
    node = slurm_node(tmp_path)
    node.write(PLUGSTACK, "# ours\noptional /usr/lib/other.so\n\n")
    runs_well(node, STEP)
    assert node.read(PLUGSTACK) == "# ours\noptional /usr/lib/other.so\n" + LINE
    changes_nothing(node, STEP)


def test_a_comment_about_pyxis_is_not_pyxis(tmp_path: Path):
    node = slurm_node(tmp_path)
    node.write(PLUGSTACK, "# required /usr/local/lib/slurm/spank_pyxis.so\n")
    runs_well(node, STEP)
    assert node.read(PLUGSTACK).endswith(LINE)


@pytest.mark.parametrize("path", [PLUGSTACK, "opt/slurm/etc/plugstack.conf.d/pyxis.conf"])
def test_a_pyxis_that_is_enabled_already_stays_as_it_is(tmp_path: Path, path: str):
    node = slurm_node(tmp_path)
    enabled = "required /usr/local/lib/slurm/spank_pyxis.so runtime_path=/elsewhere\n"
    node.write(path, enabled)
    if path != PLUGSTACK:
        node.write(PLUGSTACK, "include /opt/slurm/etc/plugstack.conf.d/*\n")
    runs_well(node, STEP)
    assert node.read(path) == enabled
    assert LINE not in node.read(PLUGSTACK)


def test_a_slurm_that_could_not_be_told_is_told_by_the_next_run(tmp_path: Path):
    node = slurm_node(tmp_path)
    node.fail("scontrol", "slurm_reconfigure error: Unable to contact slurm controller", times=1)
    assert "cannot tell Slurm of Pyxis: slurm_reconfigure error" in complaint(node.run(STEP), 1)
    node.forget_calls()
    runs_well(node, STEP)
    assert node.actions() == ["scontrol reconfigure"]
    changes_nothing(node, STEP)


def test_a_slurm_that_does_not_run_yet_needs_no_telling(tmp_path: Path):
    node = slurm_node(tmp_path)
    node.unit("slurmctld.service")
    runs_well(node, STEP)
    assert node.calls("scontrol") == []


@pytest.mark.parametrize("role", ROLES)
def test_every_node_has_folders_that_users_share_like_tmp(tmp_path: Path, role: str):
    node = slurm_node(tmp_path, role=role)
    runs_well(node, STEP)
    assert (mode(node, "run/enroot"), mode(node, "run/pyxis")) == ("0o1777", "0o755")
    assert mode(node, "var/enroot") == "0o1777"
    assert "d /run/enroot 1777" in node.read("etc/tmpfiles.d/trainyard-enroot.conf")


def test_containers_are_unpacked_on_the_instance_store_where_it_is_mounted(tmp_path: Path):
    node = slurm_node(tmp_path, role="compute-gpu")
    node.write("proc/mounts", "/dev/mapper/vg.01-lv_ephemeral /scratch ext4 rw 0 0\n")
    runs_well(node, STEP)
    assert "ENROOT_DATA_PATH /scratch/enroot/user-$(id -u)/data" in node.read("etc/enroot/enroot.conf")
    assert mode(node, "scratch/enroot") == "0o1777"
    assert not node.has("var/enroot")


def test_the_settings_of_enroot_are_ones_that_a_shell_can_read(tmp_path: Path):
    node = slurm_node(tmp_path)
    runs_well(node, STEP)
    keys = [line.split(" ", 1)[0] for line in node.read("etc/enroot/enroot.conf").splitlines()]
    assert all(key.startswith("ENROOT_") and key.replace("_", "").isupper() for key in keys)


def test_ubuntu_24_lets_enroot_make_user_namespaces(tmp_path: Path):
    node = slurm_node(tmp_path, "ubuntu2404")
    restriction = "proc/sys/kernel/apparmor_restrict_unprivileged_userns"
    node.write(restriction, "1\n")
    node.program("sysctl", f'echo 0 >"$TRAINYARD_SYSROOT/{restriction}"')
    runs_well(node, STEP)
    assert node.read(restriction) == "0\n"
    assert "userns = 0" in node.read("etc/sysctl.d/60-trainyard-enroot.conf")
    changes_nothing(node, STEP)


def test_the_restriction_stays_where_enroot_has_a_profile_of_its_own(tmp_path: Path):
    node = slurm_node(tmp_path, "ubuntu2404")
    node.write("proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1\n")
    node.write("etc/apparmor.d/enroot")
    runs_well(node, STEP)
    assert node.calls("sysctl") == []


@pytest.mark.parametrize("missing", ["usr/local/lib/slurm/spank_pyxis.so", "usr/bin/enroot"])
@pytest.mark.parametrize("role", ROLES)
def test_a_node_whose_image_lacks_them_is_refused_before_slurm_hears_of_it(tmp_path: Path, missing: str, role: str):
    node = slurm_node(tmp_path, role=role)
    (node.root / missing).unlink()
    assert f"/{missing} is missing" in complaint(node.run(STEP), 66)
    assert not node.has(PLUGSTACK)


def test_a_full_disk_is_said_and_slurm_keeps_what_it_had(tmp_path: Path):
    node = slurm_node(tmp_path)
    node.write(PLUGSTACK, "optional /usr/lib/other.so\n")
    assert "no space left" in complaint(node.run(STEP, disk_full=True), 73)
    assert node.read(PLUGSTACK) == "optional /usr/lib/other.so\n"
    runs_well(node, STEP)
    assert LINE in node.read(PLUGSTACK)


def test_a_head_node_without_slurm_is_refused(tmp_path: Path):
    node = slurm_node(tmp_path)
    (node.root / "opt/slurm/etc/slurm.conf").unlink()
    (node.root / "opt/slurm/etc").rmdir()
    assert "no head node of ParallelCluster with Slurm" in complaint(node.run(STEP), 66)
