"""common.sh: what all steps share, sourced by small steps of our own."""

from __future__ import annotations

import fcntl
import subprocess
from pathlib import Path

import pytest

from tests.node.machine import Machine
from trainyard_node.errors import DAMAGED, HARDWARE, LATER, NO_SPACE, SETTING, UNREACHABLE

pytestmark = pytest.mark.integration


@pytest.fixture
def node(machine: Machine) -> Machine:
    settings = {"OS": "ubuntu2404", "RELEASE": str(machine.release), "EMPTY": ""}
    machine.write("etc/trainyard/node.env", "".join(f"TRAINYARD_{name}='{text}'\n" for name, text in settings.items()))
    return machine


def run(machine: Machine, text: str) -> subprocess.CompletedProcess[str]:
    """Run a step that says this."""
    script = machine.release / machine.step(10, "test", text)["script"]
    environment = {**machine.environment(), "TRAINYARD_LOCK_WAIT_S": "1"}
    return subprocess.run(["bash", script], env=environment, capture_output=True, text=True, check=False, timeout=300)


def last_words(ran: subprocess.CompletedProcess[str], status: int) -> str:
    assert ran.returncode == status
    return ran.stderr.splitlines()[-1]


def files(machine: Machine) -> dict[str, tuple[int, int]]:
    return {str(path): (path.lstat().st_mode, path.lstat().st_mtime_ns) for path in machine.root.rglob("*")}


def test_the_statuses_are_those_of_the_node_package(node: Machine):
    names = ("SETTING", "DAMAGED", "HARDWARE", "UNREACHABLE", "NO_SPACE", "LATER")
    ran = run(node, "echo " + " ".join(f"$STATUS_{name}" for name in names))
    assert [int(word) for word in ran.stdout.split()] == [
        SETTING, DAMAGED, HARDWARE, UNREACHABLE, NO_SPACE, LATER
    ]  # fmt: skip


def test_a_failure_is_one_line_even_where_its_text_has_several(node: Machine):
    assert last_words(run(node, "fail 66 $'no GPU\\nis there'"), 66) == "no GPU is there"


def test_an_empty_setting_and_one_that_is_not_there_are_both_missed(node: Machine):
    for name in ("TRAINYARD_EMPTY", "TRAINYARD_NOWHERE"):
        assert last_words(run(node, f"need TRAINYARD_OS {name}"), 64).startswith(f"{name} is not set in ")


def test_a_failure_inside_a_substitution_keeps_its_status_and_its_words(node: Machine):
    ran = run(node, "x=$(need TRAINYARD_NOWHERE)\nsay never")
    assert last_words(ran, 64).startswith("TRAINYARD_NOWHERE is not set")
    assert ran.stdout == ""


@pytest.mark.parametrize("text", ["false", "cat /nowhere | sort", "x=$(cat /nowhere)", "no-such-program", "(exit 42)"])
def test_whatever_fails_without_words_ends_with_a_line_that_says_where(node: Machine, text: str):
    words = last_words(run(node, f"{text}\nsay never"), 1)
    assert words.startswith("10-test.sh, line 4: '")
    assert words.endswith("see the lines above")


def test_a_node_without_settings_is_told_how_to_get_them(node: Machine):
    (node.root / "etc/trainyard/node.env").unlink()
    assert "run this step through trainyard-node.pyz bootstrap" in last_words(run(node, "say never"), 64)


def test_a_file_is_written_with_its_mode_and_not_touched_again(node: Machine):
    text = 'printf "a\\n\\n" | put "$ROOT/x/file" 0640; changed && say changed; finish'
    assert run(node, text).stdout.splitlines() == [f"made {node.root}/x", f"wrote {node.root}/x/file", "changed"]
    before = files(node)
    assert run(node, text).stdout == "nothing to do: everything is as it should be\n"
    assert files(node) == before
    file = node.root / "x/file"
    assert (file.read_text(), file.stat().st_mode & 0o777) == ("a\n\n", 0o640)


def test_a_file_gets_its_content_or_its_mode_back(node: Machine):
    file = node.write("file", "a")
    file.chmod(0o600)
    text = 'put "$ROOT/file" 0644 < "$STUB/content"; finish'
    node.tell("content", "a")
    assert run(node, text).stdout == f"gave {file} the mode 0644\n"
    node.tell("content", "b")
    assert run(node, text).stdout == f"wrote {file}\n"
    assert (file.read_text(), [path.name for path in node.root.glob(".*")]) == ("b", [])


def test_a_link_in_the_way_of_a_file_is_replaced_and_what_it_led_to_is_not(node: Machine):
    target = node.write("target", "precious")
    (node.root / "file").symlink_to(target)
    run(node, 'echo new | put "$ROOT/file" 0644')
    assert (target.read_text(), (node.root / "file").read_text()) == ("precious", "new\n")
    assert not (node.root / "file").is_symlink()


def test_folders_and_links_are_made_once(node: Machine):
    text = 'folder "$ROOT/tmp" 1777; link /opt/a "$ROOT/current"; finish'
    assert run(node, text).returncode == 0
    before = files(node)
    assert run(node, text).stdout == "nothing to do: everything is as it should be\n"
    assert files(node) == before
    ran = run(node, 'link /opt/b "$ROOT/current"')
    assert ran.stdout == f"linked {node.root}/current to /opt/b\n"
    assert (node.root / "current").readlink().as_posix() == "/opt/b"


@pytest.mark.parametrize(
    ("said", "status"), [("write error: No space left on device", 73), ("something else", 1)]
)  # fmt: skip
def test_what_an_attempt_says_decides_its_status(node: Machine, said: str, status: int):
    words = last_words(run(node, f'attempt "unpack it" bash -c "echo first; echo {said} >&2; exit 9"'), status)
    assert words.startswith("cannot unpack it: ")


def packages(machine: Machine, dpkg: str) -> str:
    """Let a Debian package be at hand, and return the step that installs it."""
    machine.program("dpkg-deb", "[[ $3 == Package ]] && echo x || echo 1.0\n")
    machine.program(
        "dpkg-query", '[[ ! -e $STUB/installed ]] || echo "install ok installed $(cat "$STUB/installed")"\n'
    )
    machine.program("dpkg", dpkg)
    return f'install_packages "{machine.stub}/x.deb"; finish'


def test_a_package_is_installed_unless_it_is_there_in_just_this_version(node: Machine):
    step = packages(node, 'echo 1.0 > "$STUB/installed"\n')
    node.tell("installed", "0.9")
    assert run(node, step).stdout == "installed x.deb\n"
    assert run(node, step).stdout == "nothing to do: everything is as it should be\n"
    assert len(node.calls("dpkg")) == 1


def test_a_package_lock_that_stays_is_tried_again_later(node: Machine):
    step = packages(node, "exit 0\n")
    with node.write("var/lib/dpkg/lock-frontend", "").open("r+") as lock:
        fcntl.lockf(lock, fcntl.LOCK_EX)
        words = last_words(run(node, step), 75)
    assert words.startswith("another program still installs packages after 1 seconds")
    assert node.calls("dpkg") == []
    assert run(node, step).returncode == 0


def test_a_lock_that_somebody_takes_just_before_dpkg_does_is_tried_again_later(node: Machine):
    said = "dpkg: error: dpkg frontend lock was locked by another process with pid 4711"
    assert run(node, packages(node, f"echo '{said}' >&2; exit 2\n")).returncode == 75


@pytest.mark.parametrize(
    ("said", "status"), [("cannot copy: failed to write (No space left on device)", 73), ("dependency problems", 1)]
)  # fmt: skip
def test_what_dpkg_says_decides_the_status(node: Machine, said: str, status: int):
    words = last_words(run(node, packages(node, f"echo 'dpkg: {said}' >&2; exit 1\n")), status)
    assert words.startswith(
        "cannot install packages: no space" if status == 73 else "dpkg cannot install the packages: "
    )


def test_a_file_that_is_no_package_is_damage(node: Machine):
    step = packages(node, "exit 0\n")
    node.program("dpkg-deb", "exit 2\n")
    assert "x.deb is no package that can be read" in last_words(run(node, step), 65)


def test_a_unit_is_enabled_always_and_started_only_where_systemd_runs(node: Machine):
    node.program("systemctl", "[[ $2 != is-* ]]\n")
    run(node, "service docker.service")
    assert [call for call in node.calls("systemctl") if "is-" not in call] == ["systemctl enable docker.service"]
    (node.root / "run/systemd/system").mkdir(parents=True)
    (node.stub / "calls").unlink()
    assert run(node, "service docker.service").stdout == "enabled docker.service\nstarted docker.service\n"
    asked = [call for call in node.calls("systemctl") if "is-" not in call]
    assert asked == [
        f"systemctl {words}" for words in ("daemon-reload", "enable docker.service", "start docker.service")
    ]


def test_run_sh_without_a_folder_says_how_it_is_used(machine: Machine):
    ran = subprocess.run(
        ["bash", machine.release / "run.sh"], env=machine.environment(), capture_output=True, text=True, check=False
    )
    assert last_words(ran, 1) == "trainyard: usage: run.sh s3://BUCKET/FOLDER"


def test_run_sh_without_python_says_so(machine: Machine, tmp_path: Path):
    programs = tmp_path / "few"
    programs.mkdir()
    for name in ("bash", "dirname"):
        (programs / name).symlink_to(f"/usr/bin/{name}")
    ran = subprocess.run(
        ["/bin/bash", machine.release / "run.sh", "s3://a/b"],
        env={"PATH": str(programs)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert last_words(ran, 1) == "trainyard: python3 is missing: use an image that ParallelCluster made"
