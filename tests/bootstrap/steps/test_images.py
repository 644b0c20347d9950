"""Container images, imported to the shared file system: by a step, and by whoever wants one more."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.bootstrap.steps.scripts import answers, command, environment, run_script
from tests.bootstrap.steps.stubs import FakeNode, changes_nothing, complaint, runs_well
from tests.waiting import wait_until
from trainyard.bootstrap.steps import ASSETS

STEP = "80-images"
PYTORCH = "nvcr.io#nvidia/pytorch:25.12-py3"
UBUNTU = "ubuntu:22.04"
FILES = ["nvcr.io+nvidia+pytorch+25.12-py3.sqsh", "ubuntu+22.04.sqsh"]
# Writes an image, slowly where the test says so, and refuses an image as often as the test says.
ENROOT = """\
name=${!#}
if [[ -s $STUB/refuse && $name == "$(head -n 1 "$STUB/refuse")" ]]; then
  text=$(sed -n 2p "$STUB/refuse")
  sed -i 3d "$STUB/refuse"
  [[ $(wc -l <"$STUB/refuse") -gt 2 ]] || rm "$STUB/refuse"
  echo "[INFO] Authenticating with user: \\$oauthtoken" >&2
  echo "$text" >&2
  exit 1
fi
[[ ! -e $STUB/slow ]] || { touch "$STUB/importing" && exec /bin/sleep 600; }
printf 'hsqs\\0image of %s' "$name" >"$3"
"""


@pytest.fixture
def node(tmp_path: Path) -> FakeNode:
    node = FakeNode(tmp_path, role="head", queue="", shared="/fsx", container_images=f"{PYTORCH} {UBUNTU}")
    (node.root / "fsx/containers").mkdir(parents=True)
    node.write("etc/parallelcluster/cfnconfig", "cfn_cluster_user=ubuntu\n")
    answers(node, "getent", '[[ $* == "passwd ubuntu" ]] && echo "ubuntu:x:1000:1000:Ubuntu:/home/ubuntu:/bin/bash"')
    answers(node, "runuser", '[[ $1 == -u && $3 == -- ]] && echo "$2" >"$STUB/user" && exec "${@:4}"')
    node.program("enroot", f'echo "$HOME" >"$STUB/home"\n{ENROOT}')
    return node


def refuse(node: FakeNode, image: str, text: str, times: int = 99) -> None:
    (node.stub / "refuse").write_text("\n".join([f"docker://{image}", text, *["again"] * times]) + "\n")


def imported(node: FakeNode) -> list[str]:
    return sorted(file.name for file in (node.root / "fsx/containers").iterdir() if not file.name.startswith("."))


def leftovers(node: FakeNode) -> list[Path]:
    return list((node.root / "fsx/containers").glob(".*.new.*"))


def import_image(node: FakeNode, *images: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return run_script(node, "containers/import-image.sh", *images, **variables)


def test_the_images_of_the_spec_are_imported(node: FakeNode):
    runs_well(node, STEP)
    assert imported(node) == FILES
    assert (node.root / "fsx/containers" / FILES[0]).read_bytes() == f"hsqs\0image of docker://{PYTORCH}".encode()
    assert leftovers(node) == []


def test_the_user_of_the_cluster_imports_them(node: FakeNode):
    runs_well(node, STEP)
    assert (node.stub / "user").read_text() == "ubuntu\n"
    assert (node.stub / "home").read_text() == "/home/ubuntu\n"


def test_a_user_of_the_cluster_that_is_not_named_is_told(node: FakeNode):
    node.write("etc/parallelcluster/cfnconfig", "cfn_cluster_user=$(reboot)\n")
    assert "does not name the user of the cluster" in complaint(node.run(STEP), 64)


def test_a_user_of_the_cluster_without_a_home_is_told(node: FakeNode):
    answers(node, "getent", "exit 2")
    assert "the user ubuntu of the cluster has no home" in complaint(node.run(STEP), 64)


def test_the_credentials_that_are_missing_are_those_of_the_user(node: FakeNode):
    refuse(node, PYTORCH, "[ERROR] URL https://nvcr.io/v2/x returned error code: 401 Unauthorized")
    assert "into /home/ubuntu/.config/enroot/.credentials" in complaint(node.run(STEP), 64)


def test_a_lock_file_that_cannot_be_opened_is_told(node: FakeNode):
    lock = node.root / f"fsx/containers/.{FILES[1]}.lock"
    lock.mkdir()
    line = complaint(import_image(node, UBUNTU), 1)
    assert f"the lock file {lock} cannot be opened (Is a directory): remove it" in line
    assert node.calls("enroot") == []


def test_everybody_may_read_them(node: FakeNode):
    runs_well(node, STEP)
    assert {(node.root / "fsx/containers" / name).stat().st_mode & 0o777 for name in FILES} == {0o644}


def test_a_second_run_changes_nothing(node: FakeNode):
    runs_well(node, STEP)
    changes_nothing(node, STEP)


def test_one_image_that_fails_does_not_keep_the_others(node: FakeNode):
    refuse(node, PYTORCH, "[ERROR] URL https://nvcr.io/v2/x returned error code: 403 Forbidden")
    assert f"the registry refuses {PYTORCH}" in complaint(node.run(STEP), 64)
    assert imported(node) == [FILES[1]]


def test_it_goes_on_where_it_failed(node: FakeNode):
    refuse(node, PYTORCH, "[ERROR] URL https://nvcr.io/v2/x returned error code: 403 Forbidden")
    complaint(node.run(STEP), 64)
    (node.stub / "refuse").unlink()
    node.forget_calls()
    runs_well(node, STEP)
    assert imported(node) == FILES
    assert [call[-1] for call in node.calls("enroot")] == [f"docker://{PYTORCH}"]


@pytest.mark.parametrize(
    ("text", "status", "said"),
    [
        ("[ERROR] URL https://x returned error code: 401 Unauthorized", 64, "the registry refuses"),
        ("[ERROR] URL https://x returned error code: 403 Forbidden", 64, "the registry refuses"),
        ("[ERROR] URL https://x returned error code: 404 Not Found", 64, "check its name and tag"),
        ("[ERROR] URL https://x returned error code: 429 Too Many Requests", 75, "try again later"),
        ("curl: (6) Could not resolve host: nvcr.io", 69, "cannot be reached from here"),
        ("curl: (28) Connection timed out after 30001 milliseconds", 69, "cannot be reached from here"),
        ("Write failed because No space left on device", 73, "no space left"),
        ("[ERROR] Could not process JSON input", 1, "Could not process JSON input"),
    ],
)
def test_why_an_import_failed_is_told(node: FakeNode, text: str, status: int, said: str):
    refuse(node, UBUNTU, text)
    assert said in complaint(import_image(node, UBUNTU), status)
    assert imported(node) == []
    assert leftovers(node) == []


def test_a_layer_whose_digest_looks_like_a_status_is_no_refusal(node: FakeNode):
    refuse(node, UBUNTU, "429401403404: FAILED")
    assert "enroot cannot import" in complaint(import_image(node, UBUNTU), 1)


def test_the_first_refusal_of_ngc_is_tried_again(node: FakeNode):
    refuse(node, PYTORCH, "[ERROR] URL https://nvcr.io/v2/x returned error code: 401 Unauthorized", times=1)
    assert import_image(node, PYTORCH).returncode == 0
    assert imported(node) == FILES[:1]


def test_what_is_no_image_gets_no_name(node: FakeNode):
    node.program("enroot", 'printf half >"$3"')
    assert "enroot left no image" in complaint(import_image(node, UBUNTU), 1)
    assert imported(node) == []


def test_half_an_image_of_another_program_is_replaced(node: FakeNode):
    node.write(f"fsx/containers/{FILES[1]}", "half")
    assert import_image(node, UBUNTU).returncode == 0
    assert node.read(f"fsx/containers/{FILES[1]}").startswith("hsqs")


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_an_import_that_dies_leaves_nothing_that_looks_finished(node: FakeNode, how: signal.Signals):
    (node.stub / "slow").touch()
    running = subprocess.Popen(
        command(node, "containers/import-image.sh", UBUNTU), env=environment(node), start_new_session=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    wait_until((node.stub / "importing").exists)
    os.killpg(running.pid, how)
    running.wait(timeout=300)
    assert imported(node) == []
    (node.stub / "slow").unlink()
    assert import_image(node, UBUNTU).returncode == 0
    assert imported(node) == FILES[1:]
    assert leftovers(node) == []


def test_two_imports_of_an_image_do_not_collide(node: FakeNode):
    environ = environment(node)
    words = command(node, "containers/import-image.sh", UBUNTU)
    running = [subprocess.Popen(words, env=environ, stdout=subprocess.DEVNULL) for _ in range(2)]
    assert [process.wait(timeout=300) for process in running] == [0, 0]
    assert len(node.calls("enroot")) == 1


@pytest.mark.parametrize(
    "name",
    [
        "ubuntu",
        "",
        "../../etc/x:1",
        "Ubuntu:22.04",
        "docker://ubuntu:22.04",
        "ubuntu:22.04;reboot",
        "-o:x",
        "a" * 231 + ":1",
    ],
)
def test_what_is_no_image_name_is_told(node: FakeNode, name: str):
    line = complaint(import_image(node, UBUNTU, name), 64)
    assert "is no image with a tag" in line
    assert len(line) < 400
    assert node.calls("enroot") == []


def test_a_password_in_a_name_is_not_repeated(node: FakeNode):
    ran = import_image(node, "oauthtoken:nvapi-secret@nvcr.io#nvidia/pytorch:25.12-py3")
    assert "put user and password into ~/.config/enroot/.credentials" in complaint(ran, 64)
    assert "nvapi-secret" not in ran.stdout + ran.stderr


def test_enroot_is_given_no_credentials(node: FakeNode):
    import_image(node, PYTORCH)
    (call,) = node.calls("enroot")
    assert call[:3] == ["enroot", "import", "--output"]
    assert call[4:] == ["--", f"docker://{PYTORCH}"]


def test_without_enroot_it_is_told(node: FakeNode):
    (node.bin / "enroot").unlink()
    assert "Enroot is missing" in complaint(import_image(node, UBUNTU), 66)


def test_without_the_folder_it_is_told(node: FakeNode):
    (node.root / "fsx/containers").rmdir()
    assert "is the shared file system mounted" in complaint(node.run(STEP), 66)


def test_without_images_the_setting_is_missing(node: FakeNode):
    node.settings["container_images"] = ""
    assert "TRAINYARD_CONTAINER_IMAGES is not set" in complaint(node.run(STEP), 64)


def test_the_listed_images_have_names_that_can_be_imported(node: FakeNode):
    lines = (ASSETS / "containers/ngc-images.txt").read_text().splitlines()
    names = [line for line in lines if line and not line.startswith("#")]
    assert import_image(node, *names).returncode == 0
    assert len(imported(node)) == len(names) >= 2
