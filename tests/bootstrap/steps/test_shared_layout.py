"""The folders of the shared file system."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.bootstrap.steps.scripts import answers
from tests.bootstrap.steps.stubs import FakeNode, changes_nothing, complaint, runs_well

STEP = "45-shared-layout"
OF_THE_USER = ("nccl", "containers", "software", "software/modulefiles")
PROFILE = "etc/profile.d/trainyard-modules.sh"
ME = Path(__file__).owner()


@pytest.fixture
def node(tmp_path: Path) -> FakeNode:
    node = FakeNode(tmp_path, role="head", queue="", shared="/fsx")
    node.write("etc/parallelcluster/cfnconfig", f"stack_name=llm\ncfn_cluster_user={Path(tmp_path).owner()}\n")
    (node.root / "fsx").mkdir()
    answers(node, "mountpoint", f'[[ $2 == "{node.root}/fsx" ]]')
    node.program("chown", 'echo "$1 $PWD" >>"$STUB/given"')
    return node


def given(node: FakeNode) -> list[str]:
    """Return whom folders were given to, and which."""
    file = node.stub / "given"
    return file.read_text().splitlines() if file.exists() else []


def mode(node: FakeNode, folder: str) -> str:
    return oct((node.root / folder).stat().st_mode & 0o7777)


def test_the_folders_are_made(node: FakeNode):
    runs_well(node, STEP)
    assert {name: mode(node, f"fsx/{name}") for name in (*OF_THE_USER, "logs")} == {
        **dict.fromkeys(OF_THE_USER, "0o755"),
        "logs": "0o1777",
    }


def test_other_nodes_make_no_folders_and_find_the_same_modules(node: FakeNode, tmp_path: Path):
    for role in ("login", "compute-gpu", "compute-none"):
        (tmp_path / role).mkdir()
        other = FakeNode(tmp_path / role, role=role, shared="/fsx")
        (other.root / "fsx").mkdir()
        runs_well(other, STEP)
        changes_nothing(other, STEP)
        assert list((other.root / "fsx").iterdir()) == []
        assert (other.root / "opt/trainyard/software").readlink() == Path("/fsx/software")
        assert other.has(PROFILE)
    runs_well(node, STEP)
    assert (node.root / "opt/trainyard/software").readlink() == Path("/fsx/software")


def module_path(node: FakeNode, user: int, before: str) -> str:
    answers(node, "id", f"echo {user}")
    script = f'. "{node.root}/{PROFILE}"; . "{node.root}/{PROFILE}"; printf %s "${{MODULEPATH-}}"'
    environment = {"PATH": f"{node.bin}:/usr/bin:/bin", **({"MODULEPATH": before} if before else {})}
    ran = subprocess.run(["/bin/sh", "-euc", script], env=environment, capture_output=True, text=True, check=True)
    return ran.stdout


def test_users_find_the_modules_once_and_after_others_and_root_does_not(node: FakeNode):
    runs_well(node, STEP)
    own = "/opt/trainyard/software/modulefiles"
    assert module_path(node, 1000, "") == own
    assert module_path(node, 1000, "/usr/share/modulefiles") == f"/usr/share/modulefiles:{own}"
    assert module_path(node, 0, "/usr/share/modulefiles") == "/usr/share/modulefiles"


def test_a_second_run_changes_nothing(node: FakeNode):
    runs_well(node, STEP)
    changes_nothing(node, STEP)


def test_libraries_and_images_belong_to_the_user_of_the_cluster(node: FakeNode):
    node.write("etc/parallelcluster/cfnconfig", "cfn_cluster_user=ec2-user\n")
    runs_well(node, STEP)
    assert given(node) == [f"ec2-user: {node.root}/fsx/{name}" for name in OF_THE_USER]


def test_what_is_in_the_folders_stays(node: FakeNode):
    node.write("fsx/nccl/2.28.7-1/manifest.json", "{}")
    runs_well(node, STEP)
    assert node.read("fsx/nccl/2.28.7-1/manifest.json") == "{}"


def test_a_mode_that_somebody_changed_is_corrected(node: FakeNode):
    runs_well(node, STEP)
    (node.root / "fsx/nccl").chmod(0o777)
    runs_well(node, STEP)
    assert mode(node, "fsx/nccl") == "0o755"


@pytest.mark.parametrize("name", ["nccl", "containers", "software", "logs"])
def test_a_link_is_not_followed(node: FakeNode, name: str):
    (node.root / "etc/private").mkdir(mode=0o700)
    (node.root / f"fsx/{name}").symlink_to(node.root / "etc/private")
    assert f"/fsx/{name} is a symbolic link" in complaint(node.run(STEP), 66)
    assert mode(node, "etc/private") == "0o700"
    assert node.calls("chown") == []


@pytest.mark.parametrize("name", ["nccl", "containers", "software", "logs"])
def test_a_link_that_somebody_puts_there_meanwhile_gets_neither_mode_nor_owner(node: FakeNode, name: str):
    (node.root / "etc/private").mkdir(mode=0o700)
    node.write("etc/parallelcluster/cfnconfig", "cfn_cluster_user=ec2-user\n")
    swap = f'ln -s "{node.root}/etc/private" "{node.root}/fsx/{name}"'
    answers(node, "mkdir", f'case $* in *fsx/{name}) {swap} ;; *) exec /bin/mkdir "$@" ;; esac')
    assert f"/fsx/{name} is a symbolic link" in complaint(node.run(STEP), 66)
    assert mode(node, "etc/private") == "0o700"
    assert [line for line in given(node) if "private" in line] == []


def test_a_link_to_nothing_is_told_too(node: FakeNode):
    (node.root / "fsx/nccl").symlink_to(node.root / "missing")
    assert "/fsx/nccl is a symbolic link" in complaint(node.run(STEP), 66)


@pytest.mark.parametrize("name", ["nccl", "containers", "software", "logs"])
def test_what_belongs_to_somebody_else_is_left_alone(node: FakeNode, name: str):
    (node.root / f"fsx/{name}").mkdir(mode=0o700)
    answers(node, "stat", 'case $* in *%U*) echo mallory ;; *) exec /usr/bin/stat "$@" ;; esac')
    assert f"/fsx/{name} belongs to mallory, neither to root nor to {ME}" in complaint(node.run(STEP), 66)
    assert mode(node, f"fsx/{name}") == "0o700"
    assert node.calls("chown") == []


def test_what_root_made_before_is_given_to_the_user_of_the_cluster(node: FakeNode):
    (node.root / "fsx/nccl").mkdir()
    answers(node, "stat", 'case $* in *%U*) echo root ;; *) exec /usr/bin/stat "$@" ;; esac')
    node.write("etc/parallelcluster/cfnconfig", "cfn_cluster_user=ec2-user\n")
    runs_well(node, STEP)
    assert given(node)[:1] == [f"ec2-user: {node.root}/fsx/nccl"]


def test_a_file_system_that_is_not_mounted_gets_no_folders(node: FakeNode):
    answers(node, "mountpoint", "exit 32")
    assert "/fsx is not mounted" in complaint(node.run(STEP), 66)
    assert not node.has("fsx/nccl")


def test_it_goes_on_once_the_file_system_is_mounted(node: FakeNode):
    answers(node, "mountpoint", "exit 32")
    complaint(node.run(STEP), 66)
    answers(node, "mountpoint", "")
    runs_well(node, STEP)
    assert node.has("fsx/nccl")


@pytest.mark.parametrize("text", ["", "cfn_cluster_user=\n", "cfn_cluster_user=$(reboot)\n"])
def test_a_user_that_is_not_named_is_told(node: FakeNode, text: str):
    node.write("etc/parallelcluster/cfnconfig", text)
    assert "does not name the user of the cluster" in complaint(node.run(STEP), 64)


def test_a_full_file_system_is_told(node: FakeNode):
    answers(node, "mkdir", f'echo "mkdir: cannot create directory: No space left on device" >&2; exit 1  # {ME}')
    assert "no space left" in complaint(node.run(STEP), 73)


def test_not_enough_rights_are_told(node: FakeNode):
    answers(node, "mkdir", "echo \"mkdir: cannot create directory '/fsx/nccl': Permission denied\" >&2; exit 1")
    assert "Permission denied" in complaint(node.run(STEP), 1)


def test_without_a_shared_file_system_the_setting_is_missing(tmp_path: Path):
    assert "TRAINYARD_SHARED is not set" in complaint(FakeNode(tmp_path, role="head").run(STEP), 64)
