"""The job of a run on each platform, judged by what will read it."""

from __future__ import annotations

import json
import os
import re
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import botocore.session
import pytest
import yaml
from botocore.validate import ParamValidator

import trainyard.training
from tests.bench.programs.torch_python import fsdp2_python
from tests.platforms.eks.rendering.manifests.strictly import problems
from tests.program import run
from tests.waiting import wait_until
from trainyard.api.run import new_run, run_files
from trainyard.checking.kubernetes_schema import objections
from trainyard.training.run_file import read_run
from trainyard.training.sbatch import sbatch_text

SPECS = {
    "parallelcluster": "platform: parallelcluster",
    "batch": "platform: batch",
    "eks": "platform: eks",
}
SPEC = """\
name: lab
region: us-east-2
{platform}
queues:
  - {{name: gpus, instance_type: p5.48xlarge, nodes: 8}}
file_systems:
  - {{mount: /fsx, lustre: {{size_gib: 4800, throughput_mb_s_per_tib: 250}}}}
"""


def files(folder: Path, platform: str, run_text: str, more: str = "") -> dict[str, str]:
    (folder / "cluster.yaml").write_text(SPEC.format(platform=SPECS[platform]) + more)
    (folder / "run.yaml").write_text(run_text)
    read = read_run(str(folder / "run.yaml"))
    return run_files(read.run, read.spec)


def sbatch(folder: Path, run_text: str) -> str:
    made = files(folder, "parallelcluster", run_text)
    return next(text for name, text in made.items() if name.endswith(".sbatch"))


def flags(text: str) -> dict[str, str]:
    found = (line.removeprefix("#SBATCH --") for line in text.splitlines() if line.startswith("#SBATCH"))
    return {flag.partition("=")[0]: flag.partition("=")[2] for flag in found}


def test_every_flag_and_every_variable_has_its_reason_above_it(tmp_path: Path):
    lines = sbatch(tmp_path, new_run("fsdp")).splitlines()
    said = [at for at, line in enumerate(lines) if line.startswith(("#SBATCH", "export "))]
    assert len(said) > 20
    for at in said:
        assert lines[at - 1].startswith("# "), lines[at]
        assert lines[at - 1].endswith((".", ":")) or "https://" in lines[at - 1], lines[at - 1]


def test_expedited_restarts_are_asked_for_where_slurm_allows_them(tmp_path: Path):
    assert flags(sbatch(tmp_path, new_run("fsdp")))["requeue"] == ""  # ParallelCluster does not let it be allowed
    read = read_run(str(tmp_path / "run.yaml"))
    assert flags(sbatch_text(read.run, read.spec, expedites=True))["requeue"] == "expedite"


def test_a_run_without_restarts_is_not_started_again(tmp_path: Path):
    text = sbatch(tmp_path, new_run("command").replace("most: 20", "most: 0"))
    assert "no-requeue" in flags(text)
    assert "requeue" not in flags(text)


def test_before_its_block_ends_the_run_is_told(tmp_path: Path):
    text = sbatch(tmp_path, new_run("fsdp").replace("time_limit_h", "block_ends: 2026-12-01T11:30Z\ntime_limit_h"))
    # 30 minutes before the end EC2 takes the instances, and five before that the run ends.
    told = datetime(2026, 12, 1, 10, 55, tzinfo=UTC)
    assert f"TRAINYARD_ENDS_AT={told.timestamp():.0f}\n" in text


@pytest.mark.parametrize("word", ["a'b", "$(touch /tmp/x)", "`id`", 'a"b', "a\\b", "a;b", "a b"])
def test_no_word_of_a_run_becomes_shell(tmp_path: Path, word: str):
    text = new_run("fsdp").replace('arguments: [--steps, "1000"]', f"arguments: [{json.dumps(word)}]")
    text += f"environment: {{A: {json.dumps(word)}}}\n"
    script = sbatch(tmp_path, text)
    last = script.rstrip().splitlines()[-1].replace('exec bash "$TRAINYARD_FILES/run-training.sh"', "printf '%s\\n'")
    exported = "\n".join(line for line in script.splitlines() if line.startswith("export A="))
    shell = f"{exported}\nTRAINYARD_FILES=/f\n{last}\nprintf '%s\\n' \"$A\"\n"
    told = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=True).stdout.splitlines()
    assert told[-2:] == [word, word]


@pytest.mark.parametrize("template", ["ddp", "fsdp", "command", "script"])
def test_our_own_check_has_nothing_against_the_batch_script(tmp_path: Path, template: str):
    for name, text in files(tmp_path, "parallelcluster", new_run(template)).items():
        (tmp_path / name).write_text(text)
    (script,) = tmp_path.glob("*.sbatch")
    done = run("check", str(script), "--json")
    assert [finding for finding in json.loads(done.out)["findings"] if finding["severity"] != "info"] == []


PYTHON = """#!/bin/bash
echo "$@" >>"$SEEN"
case "$1" in *health_service.py) echo $$ >"$SEEN.service" && exec sleep 600 ;; esac
until [ -s "$SEEN.service" ]; do sleep 0.1; done
[ -z "$REFUSES" ] || for word in "$@"; do
  case "$word" in *endpoint=unix://*) touch "$(dirname "${word#*unix://}")/refused" ;; esac
done
exit "$STATUS"
"""


@pytest.mark.integration
@pytest.mark.parametrize(("ended", "refuses", "status"), [(0, "", 0), (3, "", 3), (0, "yes", 1), (3, "yes", 3)])
def test_ft_launcher_is_told_whom_to_ask_for_the_health_of_its_node(
    tmp_path: Path, ended: int, refuses: str, status: int
):
    made = files(
        tmp_path, "parallelcluster", new_run("command").replace("  torchrun:", "  launcher: ft_launcher\n  torchrun:")
    )
    assert "export TRAINYARD_KIND=ft_launcher\n" in next(
        text for name, text in made.items() if name.endswith(".sbatch")
    )
    for name, text in {**made, "python": PYTHON}.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "python").chmod(0o755)
    settings = {"KIND": "ft_launcher", "HANG_S": "1200", "PYTHON": f"{tmp_path}/python", "FOLDER": "",
                "FILES": str(tmp_path), "ATTEMPT": str(tmp_path), "RESTARTS": "20"}  # fmt: skip
    slurm = {"SLURM_NNODES": "2", "SLURM_NODEID": "1", "SLURM_JOB_ID": "7", "SLURMD_NODENAME": "q-2"}
    own = {f"TRAINYARD_{name}": value for name, value in settings.items()}
    more = {"GPUS_PER_NODE": "8", "MASTER_ADDR": "10.0.0.1", "MASTER_PORT": "10000"}
    seen = {"SEEN": str(tmp_path / "seen"), "STATUS": str(ended), "REFUSES": refuses,
            "PATH": "/usr/bin:/bin", "TMPDIR": str(tmp_path)}  # fmt: skip
    done = subprocess.run(
        ["bash", "start-node.sh", "train.py"], cwd=tmp_path, env={**slurm, **own, **more, **seen}, check=False
    )
    assert done.returncode == status
    assert (tmp_path / "failures").exists() == bool(status)
    service, launcher = sorted((tmp_path / "seen").read_text().splitlines(), key=lambda line: "fault_tolerance" in line)
    socket = service.split()[1]
    assert f"--ft-node-health-check-endpoint=unix://{socket} train.py" in launcher
    assert "--rdzv-endpoint=10.0.0.1:10000 --rdzv-id=7" in launcher
    assert not Path(socket).parent.exists()
    number = (tmp_path / "seen.service").read_text().strip()
    wait_until(lambda: not Path(f"/proc/{number}/exe").exists())


@pytest.mark.parametrize(
    ("told_s", "hang_s", "after_s"),
    [((), 60, None), ((-500,), 60, 1740), ((-500,), 7200, 0), ((-500, 70), 60, 70), ((60, 70), 60, 70)],
    ids=["a program that tells of none", "a start", "a start of a patient run", "a rank that goes on", "all ranks"],
)
def test_silence_counts_from_the_last_line_or_from_the_start(
    tmp_path: Path, told_s: tuple[int, ...], hang_s: int, after_s: int | None
):
    begun_s = 1_795_000_000
    (tmp_path / "begun").touch()
    os.utime(tmp_path / "begun", (begun_s, begun_s))
    for rank, at_s in enumerate(told_s):
        (tmp_path / f"rank-{rank}.jsonl").touch()
        os.utime(tmp_path / f"rank-{rank}.jsonl", (begun_s + at_s, begun_s + at_s))
    functions = (Path(trainyard.training.__file__).parent / "assets" / "run-training.sh").read_text()
    shell = functions.replace('\nmain "$@"\n', "\nsilent_since\n")
    own = {"PROGRESS": tmp_path, "ATTEMPT": tmp_path, "HANG_S": hang_s}
    variables = {"PATH": os.environ["PATH"], **{f"TRAINYARD_{name}": str(value) for name, value in own.items()}}
    done = subprocess.run(["bash", "-c", shell], env=variables, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ("" if after_s is None else str(begun_s + after_s))


def test_without_its_folder_a_start_is_not_watched(tmp_path: Path):
    (tmp_path / "rank-0.jsonl").touch()
    functions = (Path(trainyard.training.__file__).parent / "assets" / "run-training.sh").read_text()
    shell = functions.replace('\nmain "$@"\n', "\nsilent_since\n")
    variables = {"PATH": os.environ["PATH"], "TRAINYARD_PROGRESS": str(tmp_path), "TRAINYARD_HANG_S": "60",
                 "TRAINYARD_ATTEMPT": str(tmp_path / "gone")}  # fmt: skip
    done = subprocess.run(["bash", "-c", shell], env=variables, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")


@pytest.mark.integration
@pytest.mark.parametrize("template", ["fsdp", "script"])
def test_shellcheck_has_nothing_against_it(tmp_path: Path, template: str):
    text = new_run(template)
    script = tmp_path / "a.sbatch"
    script.write_text(sbatch(tmp_path, text))
    done = subprocess.run(["shellcheck", str(script)], capture_output=True, text=True, check=False)
    assert done.stdout == ""


@pytest.mark.parametrize("template", ["ddp", "command", "script"])
def test_kubernetes_takes_the_job_of_amazon_eks(tmp_path: Path, template: str):
    (text,) = files(tmp_path, "eks", new_run(template)).values()
    config_map, job = yaml.safe_load_all(text)
    assert problems(config_map, "1.34") == []
    assert problems(job, "1.34") == []
    (container,) = job["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]["spec"]["containers"]
    assert container["resources"]["limits"].items() >= {"nvidia.com/gpu": 8, "vpc.amazonaws.com/efa": 32}.items()
    assert job["spec"]["runPolicy"]["backoffLimit"] == 20
    assert "trainyard_progress.py" in config_map["data"]


def job_set(folder: Path, template: str = "command", change: tuple[str, str] = ("", "")) -> dict[str, Any]:
    run_text = new_run(template).replace(*change) + "kubernetes_job: JobSet\n"
    (text,) = files(folder, "eks", run_text, "eks: {operators: [training-operator, jobset]}\n").values()
    document: dict[str, Any] = list(yaml.safe_load_all(text))[1]
    return document


def pod_of(document: dict[str, Any]) -> dict[str, Any]:
    (replicated,) = document["spec"]["replicatedJobs"]
    return dict(replicated["template"]["spec"]["template"]["spec"])


@pytest.mark.parametrize("template", ["ddp", "command", "script"])
def test_kubernetes_and_the_schema_of_its_project_take_a_job_set(tmp_path: Path, template: str):
    document = job_set(tmp_path, template)
    assert problems(document, "1.34") == []
    assert list(objections(document, "1.34")) == []
    document["spec"]["failurePolicy"]["maxRestart"] = 3
    assert len(list(objections(document, "1.34"))) == 1


def test_a_job_set_says_what_counts_as_a_restart_and_what_ends_it(tmp_path: Path):
    document = job_set(tmp_path)
    policy = document["spec"]["failurePolicy"]
    assert policy["maxRestarts"] == 20
    assert {rule["name"]: rule["action"] for rule in policy["rules"]} == {
        "disrupted": "RestartJobSetAndIgnoreMaxRestarts", "refused": "FailJobSet",
    }  # fmt: skip
    (replicated,) = document["spec"]["replicatedJobs"]
    spec = replicated["template"]["spec"]
    assert (spec["completions"], spec["parallelism"], spec["backoffLimit"], spec["activeDeadlineSeconds"]) == (
        2, 2, 0, 86400
    )  # fmt: skip
    assert (pod_of(document)["restartPolicy"], pod_of(document)["terminationGracePeriodSeconds"]) == ("Never", 300)
    assert "rules" not in job_set(tmp_path, change=("most: 20", "most: 0"))["spec"]["failurePolicy"]


def test_a_job_set_hangs_and_is_told_of_as_on_the_other_platforms(tmp_path: Path):
    (container,) = pod_of(job_set(tmp_path))["containers"]
    values = {one["name"]: one.get("value") for one in container["env"]}
    assert len(values) == len(container["env"])
    assert (values["TRAINYARD_HANG_S"], values["TRAINYARD_SHOW_S"]) == ("1200", "60")
    assert values["TRAINYARD_JOB"] == "own-command"


def test_what_the_run_says_of_a_variable_is_what_its_job_set_has(tmp_path: Path):
    change = ("checkpoints:", "environment: {MASTER_PORT: 1234, NODE_RANK: 7}\ncheckpoints:")
    (container,) = pod_of(job_set(tmp_path, "script", change))["containers"]
    values = [(one["name"], one["value"]) for one in container["env"] if one["name"] in ("MASTER_PORT", "NODE_RANK")]
    assert values == [("MASTER_PORT", "1234"), ("NODE_RANK", "7")]


@pytest.mark.integration
def test_torchrun_makes_one_world_of_the_pods_of_a_job_set(tmp_path: Path):
    """Start what each pod would, with what Kubernetes fills in; the host of the first one is this machine."""
    change = ("nodes: 2", "nodes: 2\nenvironment: {MASTER_PORT: 29583}")
    (container,) = pod_of(job_set(tmp_path, change=change))["containers"]
    program = tmp_path / "train.py"
    program.write_text(
        "import os\nwith open('rank-' + os.environ['RANK'], 'w') as out:\n"
        "    print(*(os.environ[name] for name in ('WORLD_SIZE', 'GROUP_RANK', 'LOCAL_RANK')), file=out)\n"
    )

    def started(rank: int) -> subprocess.Popen[bytes]:
        values = {one["name"]: one.get("value", str(rank)) for one in container["env"]}
        values |= {"MASTER_ADDR": "127.0.0.1", "GPUS_PER_NODE": "2"}
        words = [re.sub(r"\$\((\w+)\)", lambda found: values[found[1]], word) for word in container["command"]]
        words = [str(program) if word == "train.py" else word for word in words]
        command = [fsdp2_python(), "-m", "torch.distributed.run", *words[1 : words.index(str(program)) + 1]]
        environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "OMP_NUM_THREADS": "1"}
        return subprocess.Popen(command, env=environment, cwd=tmp_path)

    pods = [started(1), started(0)]
    assert [pod.wait(timeout=300) for pod in pods] == [0, 0]
    assert {file.name: file.read_text().split() for file in tmp_path.glob("rank-*")} == {
        "rank-0": ["4", "0", "0"], "rank-1": ["4", "0", "1"], "rank-2": ["4", "1", "0"], "rank-3": ["4", "1", "1"],
    }  # fmt: skip


@pytest.mark.parametrize("template", ["ddp", "command", "script"])
def test_submit_job_takes_the_request_for_aws_batch(tmp_path: Path, template: str):
    made = files(tmp_path, "batch", new_run(template))
    request: dict[str, Any] = next(json.loads(text) for name, text in made.items() if name.endswith(".json"))
    shape = botocore.session.get_session().get_service_model("batch").operation_model("SubmitJob").input_shape
    assert ParamValidator().validate(request, shape).generate_report() == ""
    assert request["nodeOverrides"]["numNodes"] == 2
    retries = request["retryStrategy"]
    assert (retries["attempts"], retries["evaluateOnExit"][1]) == (
        10,
        {"onStatusReason": "Host EC2*", "action": "RETRY"},
    )


def test_the_command_writes_the_files_and_nothing_for_a_run_with_errors(tmp_path: Path):
    files(tmp_path, "parallelcluster", new_run("fsdp"))
    done = run("run", "render", str(tmp_path / "run.yaml"), "-o", str(tmp_path / "job"), "--json")
    assert (done.status, done.err) == (0, "")
    assert sorted(json.loads(done.out)["files"]) == sorted(
        file.name for file in (tmp_path / "job").iterdir() if not file.name.startswith(".") and file.suffix != ".json"
    )
    (tmp_path / "run.yaml").write_text(new_run("fsdp").replace("nodes: 2", "nodes: 9"))
    done = run("run", "render", str(tmp_path / "run.yaml"), "-o", str(tmp_path / "other"))
    assert (done.status, (tmp_path / "other").exists()) == (1, False)
    assert "run-nodes-exceed-queue" in done.err
