"""batch image on the command line, with a Docker that records: what it is told, what it is not, and what is refused."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.platforms.batch.jobs.recording_docker import RecordingDocker
from tests.platforms.batch.jobs.scripted_batch import ScriptedBatch, make_stack, outputs, scripted_cluster
from trainyard.edge.aws.container_registry import Login
from trainyard.platforms.batch.rendering.container_images import IMAGES

pytestmark = pytest.mark.integration
PLACE = ("--region", "us-east-2")
REGISTRY = "123456789012.dkr.ecr.us-east-2.amazonaws.com"
IMAGE = f"{REGISTRY}/lab-images:stress-ng"
PASSWORD = "123456789012-auth-token"


@pytest.fixture
def batch() -> Iterator[ScriptedBatch]:
    with scripted_cluster() as made:
        assert made.account is not None
        made.account.client("ecr").put_image_tag_mutability(repositoryName="lab-images", imageTagMutability="IMMUTABLE")
        yield made


@pytest.fixture
def docker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RecordingDocker:
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{Path(sys.executable).parent}:/usr/bin:/bin")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    monkeypatch.delenv("DOCKER_CONFIG", raising=False)
    (tmp_path / "home").mkdir()
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", None)
    return RecordingDocker(tmp_path / "bin")


def push(batch: ScriptedBatch, tag: str) -> None:
    """Put an image into the registry, as a push would."""
    assert batch.account is not None
    media_type = "application/vnd.docker.distribution.manifest.v2+json"
    config = {"digest": f"sha256:{hashlib.sha256(tag.encode()).hexdigest()}"}
    manifest = json.dumps({"schemaVersion": 2, "mediaType": media_type, "config": config, "layers": []})
    batch.account.client("ecr").put_image(repositoryName="lab-images", imageManifest=manifest, imageTag=tag)


def test_an_image_is_built_and_pushed(trainyard, batch: ScriptedBatch, docker: RecordingDocker):
    ran = trainyard("batch", "image", "lab", *PLACE)
    assert (ran.status, ran.out) == (0, f"{IMAGE}\n")
    assert [call["words"][0] for call in docker.calls] == ["version", "build", "login", "push", "logout"]
    build = docker.call("build")
    assert build["words"][:-1] == ["build", "--platform", "linux/amd64", "--tag", IMAGE]
    assert build["context"] == {"Dockerfile": IMAGES["stress-ng"].files()["Dockerfile"].decode()}
    assert build["attestations"] == "1"
    assert docker.call("push")["words"] == ["push", IMAGE]


def test_the_password_is_read_by_docker_alone_and_nothing_of_it_is_left(
    trainyard, batch: ScriptedBatch, docker: RecordingDocker, tmp_path: Path
):
    ran = trainyard("batch", "image", "lab", *PLACE)
    login = docker.call("login")
    assert login["words"] == ["login", "--username", "AWS", "--password-stdin", REGISTRY]
    assert login["read"] == PASSWORD
    # With its registry in the settings, docker login looks for no keychain.
    assert (login["config"], login["mode"]) == ({"auths": {REGISTRY: {}}}, "700")
    assert docker.call("push")["settings"] == login["settings"] == docker.call("logout")["settings"]
    assert PASSWORD not in json.dumps([call["words"] for call in docker.calls]) + ran.out + ran.err
    (docker.folder / "calls").unlink()
    assert [
        file for file in tmp_path.rglob("*") if file.is_file() and PASSWORD in file.read_text("utf-8", "replace")
    ] == []
    assert list((tmp_path / "temporary").iterdir()) == []


@pytest.mark.parametrize("failing", ["login", "push"])
def test_nothing_of_the_password_is_left_where_docker_fails(
    trainyard, batch: ScriptedBatch, docker: RecordingDocker, tmp_path: Path, failing: str
):
    docker.answer(**{failing: (1, "no way to the registry")})
    ran = trainyard("batch", "image", "lab", *PLACE)
    assert (ran.status, ran.out) == (1, "")
    said = {"login": 'docker could not log in: "no way to the registry"', "push": "docker push has ended with status 1"}
    assert said[failing] in ran.err
    assert list((tmp_path / "temporary").iterdir()) == []


@pytest.mark.parametrize(("command", "status"), [("login", 143), ("push", 1)])
def test_nothing_of_the_password_is_left_where_the_process_is_asked_to_end(
    trainyard, batch: ScriptedBatch, docker: RecordingDocker, command: str, status: int
):
    docker.answer(**{command: (0, "end the caller")})
    assert trainyard("batch", "image", "lab", *PLACE).status == status
    assert docker.calls[-1]["words"][0] in (command, "logout")
    assert list((docker.folder.parent / "temporary").iterdir()) == []


def test_the_user_s_way_to_the_daemon_is_kept_and_his_passwords_are_not(
    trainyard, batch: ScriptedBatch, docker: RecordingDocker, tmp_path: Path
):
    own = tmp_path / "home" / ".docker"
    (own / "contexts" / "meta").mkdir(parents=True)
    (own / "config.json").write_text(json.dumps({"currentContext": "desktop", "credsStore": "osxkeychain"}))
    trainyard("batch", "image", "lab", *PLACE)
    login = docker.call("login")
    assert login["config"] == {"auths": {REGISTRY: {}}, "currentContext": "desktop"}
    assert login["entries"] == ["config.json", "contexts"]
    assert (own / "contexts" / "meta").is_dir()
    assert docker.call("build")["settings"] == "/nonexistent"


@pytest.mark.parametrize("content", ["[]", "{", '{"currentContext": 3}', "\x00"])
def test_settings_of_the_user_that_make_no_sense_are_passed_over(
    trainyard, batch: ScriptedBatch, docker: RecordingDocker, tmp_path: Path, content: str
):
    (tmp_path / "home" / ".docker").mkdir()
    (tmp_path / "home" / ".docker" / "config.json").write_text(content)
    assert trainyard("batch", "image", "lab", *PLACE).status == 0
    assert docker.call("login")["config"] == {"auths": {REGISTRY: {}}}


def test_the_digest_is_told_and_the_field_of_the_spec_where_jobs_need_it(
    trainyard, batch: ScriptedBatch, docker: RecordingDocker
):
    assert (
        f"write batch.nccl_image: {REGISTRY}/lab-images:nccl into the spec and deploy it"
        in trainyard("batch", "image", "lab", "nccl", *PLACE).err
    )
    values = json.loads(trainyard("batch", "image", "lab", "pytorch", *PLACE, "--tag", "run-2", "--json").out)
    assert values == {
        "schema": 1, "image": f"{REGISTRY}/lab-images:run-2", "repository": "lab-images", "tag": "run-2",
        "platform": "linux/amd64",
        "next_step": f"write batch.pytorch_image: {REGISTRY}/lab-images:run-2 into the spec and deploy it, so that "
        "jobs run it",
        "pushed": True, "digest": None, "commands": [], "files": [],
    }  # fmt: skip


def test_a_tag_that_is_taken_says_how_to_take_another_one(trainyard, batch: ScriptedBatch, docker: RecordingDocker):
    push(batch, "stress-ng")
    ran = trainyard("batch", "image", "lab", *PLACE)
    assert (ran.status, docker.calls) == (2, [])
    assert f"--tag: error: {IMAGE} is there already, and tags of this repository never change what they name" in ran.err
    assert f"--tag stress-ng-2, write batch.stress_image: {IMAGE}-2 into the spec, and deploy it" in ran.err
    assert trainyard("batch", "image", "lab", *PLACE, "--tag", "stress-ng-2").status == 0


def test_the_platform_is_that_of_the_nodes(trainyard, batch: ScriptedBatch, docker: RecordingDocker):
    for definition in batch.definitions:
        definition["nodeProperties"]["nodeRangeProperties"][0]["container"]["instanceType"] = "hpc7g.16xlarge"
    trainyard("batch", "image", "lab", *PLACE)
    assert "linux/arm64" in docker.call("build")["words"]


def test_nodes_with_trainium_get_their_own_image(trainyard, batch: ScriptedBatch, docker: RecordingDocker):
    for definition in batch.definitions:
        definition["nodeProperties"]["nodeRangeProperties"][0]["container"]["instanceType"] = "trn1.32xlarge"
    trainyard("batch", "image", "lab", "pytorch", *PLACE)
    context = docker.call("build")["context"]
    assert (sorted(context), "pytorch-training-neuronx" in context["Dockerfile"]) == (["Dockerfile", "train.py"], True)


def test_podman_takes_the_place_of_docker(
    trainyard, batch: ScriptedBatch, docker: RecordingDocker, monkeypatch: pytest.MonkeyPatch
):
    docker.install("podman")
    assert trainyard("batch", "image", "lab", *PLACE, "--engine", "podman").status == 0
    assert docker.calls[0]["words"] == ["info"]
    (docker.folder / "docker").unlink()
    monkeypatch.setenv("PATH", f"{docker.folder}:/usr/bin:/bin")
    assert "podman builds" in trainyard("batch", "image", "lab", *PLACE).err


def test_without_docker_that_is_one_clear_error(
    trainyard, batch: ScriptedBatch, docker: RecordingDocker, monkeypatch: pytest.MonkeyPatch
):
    (docker.folder / "docker").unlink()
    monkeypatch.setenv("PATH", str(docker.folder))
    ran = trainyard("batch", "image", "lab", *PLACE)
    assert (ran.status, ran.out) == (1, "")
    assert "error: there is no docker and no podman here; install Docker" in ran.err


def test_a_daemon_that_does_not_answer_is_told(trainyard, batch: ScriptedBatch, docker: RecordingDocker):
    docker.answer(version=(1, "Cannot connect to the Docker daemon at unix:///var/run/docker.sock."))
    ran = trainyard("batch", "image", "lab", *PLACE)
    assert (ran.status, [call["words"][0] for call in docker.calls]) == (1, ["version"])
    assert 'docker does not answer: "Cannot connect to the Docker daemon' in ran.err
    assert "systemctl start docker" in ran.err


def test_a_build_that_fails_is_not_pushed(trainyard, batch: ScriptedBatch, docker: RecordingDocker):
    docker.answer(build=(17, "no space left on device"))
    ran = trainyard("batch", "image", "lab", *PLACE)
    assert (ran.status, [call["words"][0] for call in docker.calls]) == (1, ["version", "build"])
    assert "docker build has ended with status 17; what it said stands above" in ran.err


def test_ctrl_c_in_a_build_says_what_is_left(trainyard, batch: ScriptedBatch, docker: RecordingDocker):
    docker.answer(build=(130, ""))
    ran = trainyard("batch", "image", "lab", *PLACE)
    assert (ran.status, ran.out) == (130, "")
    assert f"interrupted: {IMAGE} may be built, and is not pushed; the same command goes on" in ran.err


def test_a_repository_that_is_gone_is_told(trainyard, batch: ScriptedBatch, docker: RecordingDocker):
    assert batch.account is not None
    batch.account.client("ecr").delete_repository(repositoryName="lab-images", force=True)
    ran = trainyard("batch", "image", "lab", *PLACE)
    assert (ran.status, docker.calls) == (1, [])
    assert "lab-batch: error: there is no repository lab-images in ECR; `trainyard status lab" in ran.err


def test_what_is_printed_is_the_dockerfile_with_the_commands_in_it(
    trainyard, batch: ScriptedBatch, docker: RecordingDocker
):
    push(batch, "other")
    ran = trainyard("batch", "image", "lab", *PLACE, "--print")
    assert (ran.status, docker.calls) == (0, [])
    assert (
        ran.out
        == (
            "# Save this as Dockerfile in a folder of its own, and there:\n"
            f"#   docker build --platform linux/amd64 --tag {IMAGE} .\n"
            "#   aws ecr get-login-password --region us-east-2 | "
            f"docker login --username AWS --password-stdin {REGISTRY}\n"
            f"#   docker push {IMAGE}\n#   docker logout {REGISTRY}\n#\n"
        )
        + IMAGES["stress-ng"].files()["Dockerfile"].decode()
    )


def test_what_is_written_can_be_changed_and_built(
    trainyard, batch: ScriptedBatch, docker: RecordingDocker, tmp_path: Path
):
    ran = trainyard("batch", "image", "lab", "pytorch", *PLACE, "-o", "mine", "--engine", "podman")
    assert ran.out.splitlines()[:3] == [
        "mine/Dockerfile", "mine/train.py",
        f"podman build --platform linux/amd64 --tag {REGISTRY}/lab-images:pytorch mine",
    ]  # fmt: skip
    (tmp_path / "mine" / "train.py").write_text("mine")
    assert trainyard("batch", "image", "lab", "pytorch", *PLACE, "-o", "mine").status == 2
    assert trainyard("batch", "image", "lab", "pytorch", *PLACE, "--context", "mine").status == 0
    assert docker.call("build")["context"]["train.py"] == "mine"
    values = json.loads(trainyard("batch", "image", "lab", "pytorch", *PLACE, "--print", "--json").out)
    assert (values["pushed"], values["files"], len(values["commands"])) == (False, ["Dockerfile", "train.py"], 4)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("lab", "other", *PLACE), "'other' is not one of 'stress-ng', 'nccl', 'pytorch'"),
        (("lab",), "nothing says which region"),
        (("lab", *PLACE, "--tag", "a b"), "'a b' is no tag; letters, digits"),
        (("lab", *PLACE, "--tag", "-x"), "'-x' is no tag"),
        (("lab", *PLACE, "--queue", "x"), "lab has no queue 'x'; it has training, small"),
        (("lab", *PLACE, "--force"), "--force has no meaning without -o"),
        (("lab", *PLACE, "--print", "-o", "x"), "--print and -o are two ways to see the same"),
        (("lab", *PLACE, "--print", "--context", "home"), "--context has no meaning where nothing is built"),
        (("lab", *PLACE, "--context", "home"), "there is no Dockerfile in home; `trainyard batch image NAME -o DIR`"),
        (("lab", *PLACE, "--context", "nothing"), "Directory 'nothing' does not exist"),
        (("lab", *PLACE, "--engine", "buildah"), "'buildah' is not one of 'docker', 'podman'"),
    ],
)
def test_a_command_line_that_makes_no_sense_is_refused(
    trainyard, batch: ScriptedBatch, docker: RecordingDocker, arguments: tuple[str, ...], said: str
):
    ran = trainyard("batch", "image", *arguments)
    assert (ran.status, ran.out, docker.calls) == (2, "", [])
    assert said in ran.err


def test_a_queue_without_gpus_has_no_image_for_bandwidth_tests(
    trainyard, batch: ScriptedBatch, docker: RecordingDocker
):
    assert batch.account is not None
    batch.account.client("cloudformation").delete_stack(StackName="lab-batch")
    made = outputs("training")
    del made["NcclJobDefinition"]
    make_stack(batch.account, made)
    ran = trainyard("batch", "image", "lab", "nccl", *PLACE)
    assert (ran.status, "the queue lab-training runs no job nccl; it has stress-ng, torchrun" in ran.err) == (2, True)


def test_a_login_does_not_show_its_password():
    assert PASSWORD not in repr(Login(REGISTRY, "AWS", PASSWORD))
