"""The folder from which images are built."""

from __future__ import annotations

import io
import json
import subprocess
import tarfile
from pathlib import Path

import yaml

from tests.bundle.readme_commands import code_lines
from tests.specs import spec_of
from trainyard.bundle.asset_lock import AssetLock, lock_text
from trainyard.bundle.image import assemble_images
from trainyard.rehearsal.stand_in_assets import stand_in_lock
from trainyard.render.cloudformation.stacks import stacks
from trainyard.render.node_image import NO_PARENT
from trainyard.render.stand_ins import Ids

SPEC = spec_of(
    "software: {setup: gpu, containers: true}\n"
    "queues: [{name: a, instance_type: p5.48xlarge}, {name: b, instance_type: m5.large, setup: cpu}]\n"
)
ASSET = {
    "name": "docker", "version": "28.5.1", "os": None, "arch": "x86_64", "file": "docker-28.5.1.tgz",
    "url": "https://download.docker.com/linux/static/stable/x86_64/docker-28.5.1.tgz", "size_bytes": 1,
    "sha256": "0" * 64, "verified_by": None,
}  # fmt: skip
LOCK = json.dumps({"schema": 1, "assets": [ASSET]}).encode()
OUTPUTS = {
    "ComputeNodeSecurityGroup": "sg-0123456789abcdef0",
    "PrimaryPrivateSubnet": "subnet-0123456789abcdef0",
    "AssetsBucket": "mine",
    "NodeAssetsPolicyArn": "arn:aws:iam::123456789012:policy/read",
}
# Answers as AWS would, and says what it was asked to put where.
AWS = """\
#!/bin/bash
case "$*" in
*get-caller-identity*) echo 123456789012 ;;
*ComputeNodeSecurityGroup*) echo sg-0123456789abcdef0 ;;
*PrimaryPrivateSubnet*) echo subnet-0123456789abcdef0 ;;
*NodeAssetsPolicyArn*) echo arn:aws:iam::123456789012:policy/read ;;
*put-object*) for last; do :; done; [ -e "$last" ] && echo "$*" >> "$STUB/puts" ;;
*) echo "not asked before: $*" >&2; exit 1 ;;
esac
"""


def test_the_same_spec_gives_the_same_bytes():
    assert assemble_images(SPEC, lock=LOCK).files == assemble_images(SPEC, lock=LOCK).files


def test_the_release_is_the_one_that_the_scripts_name_and_holds_their_steps():
    bundle = assemble_images(SPEC, lock=LOCK)
    with tarfile.open(fileobj=io.BytesIO(bundle.files["release.tar"])) as archive:
        names = set(archive.getnames())
    for image in bundle.images:
        settings = json.loads(bundle.files[f"{image.name}/install.sh"].rpartition(b"__SETTINGS__\n")[2])
        assert settings["sha256"] == bundle.release_sha256
        assert {step["script"] for step in settings["steps"]} <= names


def test_what_is_known_leaves_no_stand_in():
    bundle = assemble_images(SPEC, OUTPUTS, parent="ami-0123456789abcdef0")
    assert bundle.stand_ins == ()
    assert bundle.outputs == set(OUTPUTS)
    assert not any(b"00000000000000" in text for name, text in bundle.files.items() if name.endswith((".yaml", ".sh")))
    assert "list-official-images" not in bundle.files["README.md"].decode()


def test_the_readme_asks_stacks_that_are_made():
    readme = assemble_images(SPEC).files["README.md"].decode()
    made = {stack.name for stack in stacks(SPEC, Ids({}))}
    asked = {line.split("--stack-name ")[1].split()[0] for line in code_lines(readme) if "--stack-name" in line}
    assert asked
    assert asked <= made


def test_without_a_lock_the_readme_says_what_to_do():
    made = assemble_images(SPEC)
    text = made.files["README.md"].decode()
    assert "Run `trainyard assets lock`" in text
    assert made.unlocked
    assert all(f"- {one}\n" in text for one in made.unlocked)


def test_a_whole_lock_leaves_nothing_to_say():
    made = assemble_images(SPEC, lock=lock_text(stand_in_lock(SPEC)).encode())
    assert made.unlocked == ()
    assert "assets lock" not in made.files["README.md"].decode()


def test_a_lock_that_is_not_whole_is_told_too():
    *most, last = stand_in_lock(SPEC).assets
    made = assemble_images(SPEC, lock=lock_text(AssetLock(tuple(most))).encode())
    assert len(made.unlocked) == 1
    assert made.unlocked[0].startswith(last.name)
    locked = assemble_images(SPEC, lock=LOCK).files["README.md"].decode()
    assert f"--key trainyard/{SPEC.name}/assets/{'0' * 64}/docker-28.5.1.tgz" in locked


def test_the_commands_of_the_readme_fill_in_the_files_and_upload_them(tmp_path: Path):
    bundle = assemble_images(SPEC)
    for name, content in bundle.files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    pcluster = tmp_path / f"pcluster-{SPEC.parallelcluster.version}/bin/pcluster"
    pcluster.parent.mkdir(parents=True)
    pcluster.write_text("#!/bin/sh\necho '\"ami-0123456789abcdef0\"'\n")
    aws = tmp_path / "bin/aws"
    aws.parent.mkdir()
    aws.write_text(AWS)
    for program in (aws, pcluster):
        program.chmod(0o755)
    readme = bundle.files["README.md"].decode()
    lines = code_lines(readme.split("## 3. Build")[0])
    done = subprocess.run(
        ["/bin/bash", "-euc", "\n".join(lines)],
        cwd=tmp_path,
        env={"PATH": f"{aws.parent}:/usr/bin:/bin", "HOME": str(tmp_path), "STUB": str(tmp_path)},
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    for image in bundle.images:
        build = yaml.safe_load((tmp_path / image.name / "build-image.yaml").read_text())["Build"]
        assert build["ParentImage"] == "ami-0123456789abcdef0" != NO_PARENT
        assert build["SubnetId"] == "subnet-0123456789abcdef0"
        settings = (tmp_path / image.name / "install.sh").read_text()
        assert f"s3://trainyard-123456789012-{SPEC.region}/trainyard/{SPEC.name}" in settings
        assert build["Components"][0]["Value"].startswith(f"s3://trainyard-123456789012-{SPEC.region}/")
    assert len((tmp_path / "puts").read_text().splitlines()) == 1 + len(bundle.images)
