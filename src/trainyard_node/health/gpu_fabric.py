"""Whether the GPUs have registered with their NVSwitches; CUDA answers with error 802 where they have not."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard_node.health.gpu_answers import RESET, absent, gpu_name, has_gpus, judge_gpus, readable, refused_calls
from trainyard_node.health.machine import Machine
from trainyard_node.health.nvml import Gpu, Gpus
from trainyard_node.health.outcome import Outcome

NAME = "gpu-fabric"
PROGRAM_S = 5.0
UNIT = "nvidia-fabricmanager.service"
# What the fabric manager is for, and which systems have one.
SOURCE = "https://docs.nvidia.com/datacenter/tesla/fabric-manager-user-guide/index.html"
# The health mask: where a pair of bits lies, what it is about, and its value where that is so.
HEALTH_SOURCE = "https://docs.nvidia.com/deploy/nvml-api/group__nvmlFabricDefs.html"
_HEALTH = ((0, "bandwidth is degraded"), (2, "routes are being recovered"), (4, "routes are unhealthy"))
# What 'systemctl is-active' prints of a service that does not run, and the statuses that it ends with then. Whatever
# else it says, the service is on its way, or the question was not answered:
# https://github.com/systemd/systemd/blob/main/src/systemctl/systemctl-util.h
_DOWN = {"inactive", "failed", "unknown"}
_DOWN_STATUSES = {3, 4}
# In GB200 NVL72 the NVSwitches are outside of the nodes, and so are the managers of the fabric.
OUTSIDE_SOURCE = "https://docs.nvidia.com/networking/display/nmxcv11/nmx-controller"
_OUTSIDE = f"see 'nvidia-smi -q' on the other nodes of this NVLink domain; where it is this node alone, {RESET}"
_RESTART = f"systemctl restart {UNIT} while no job runs; if that does not help, {RESET}"


def check(machine: Machine) -> list[Outcome]:
    """Look at the services and at what each GPU says. A100 knows no such state, so there the service has to do."""
    if not has_gpus(machine):
        return [absent(NAME)]
    if machine.expected.fabric == "none":
        return judge_gpus(NAME, machine, _judge_outside)
    services = [*_manager(machine), *(_subnet_manager(machine) if machine.expected.fabric == "nvlsm" else ())]
    return services + judge_gpus(NAME, machine, lambda gpus: _judge(gpus, fine=not services))


def _manager(machine: Machine) -> Iterator[Outcome]:
    ran = machine.world.processes.run(["systemctl", "is-active", UNIT], PROGRAM_S)
    output = ran.output.strip()
    state = output.splitlines()[-1] if output else f"status {ran.status} of systemctl"
    journal = f"see 'journalctl --unit={UNIT}'"
    if ran.status in _DOWN_STATUSES and state in _DOWN:
        yield Outcome(NAME, "failed", f"the fabric manager is {state}", UNIT, f"{journal}, then {_RESTART}", SOURCE)
    elif ran.status != 0:
        message = f"systemctl does not say that {UNIT} is active or down: {state:.200}"
        yield Outcome(NAME, "unknown", message, UNIT, f"look again in a minute, and {journal}", SOURCE)


def _subnet_manager(machine: Machine) -> Iterator[Outcome]:
    """On B200 and B300 the switches are reached through InfiniBand, by a program that the same unit starts.

    https://github.com/NVIDIA/gpu-operator/issues/2781
    """
    places = machine.world.places
    if not places.at("/sys/module/ib_umad").exists():
        message = "the kernel module ib_umad is not loaded, which the NVLink subnet manager needs"
        yield Outcome(NAME, "failed", message, "ib_umad", f"modprobe ib_umad, then {_RESTART}", SOURCE)
    if not any(_is_nvlsm(file.name, machine) for file in places.at("/proc").glob("[0-9]*")):
        yield Outcome(NAME, "failed", "the NVLink subnet manager does not run", "nvlsm", _RESTART, SOURCE)


def _is_nvlsm(process: str, machine: Machine) -> bool:
    try:
        return machine.world.places.at(f"/proc/{process}/comm").read_text(encoding="utf-8").strip() == "nvlsm"
    except (OSError, UnicodeDecodeError):
        return False


def _judge(gpus: Gpus, *, fine: bool) -> list[Outcome]:
    trouble = [outcome for gpu in readable(gpus) for outcome in _of(gpu)]
    trouble += refused_calls(NAME, gpus, "nvmlDeviceGetGpuFabricInfo")
    if trouble or not fine:
        return trouble
    registered = sum(gpu.fabric_state is not None for gpu in readable(gpus))
    text = f"{registered} GPUs are registered" if registered else "GPUs of this kind have no state of their own"
    return [Outcome(NAME, "ok", f"the fabric manager is active; {text}")]


def _judge_outside(gpus: Gpus) -> list[Outcome]:
    """Judge what GPUs say that no manager on this node serves. One that is alone has nobody to reach by NVLink."""
    measured = [gpu for gpu in readable(gpus) if gpu.fabric_state is not None]
    if len(gpus.gpus) < 2 or not measured:
        return [Outcome(NAME, "absent", "the GPUs of this instance type have no NVSwitch")]
    trouble = [
        outcome._replace(remedy=_OUTSIDE, source=OUTSIDE_SOURCE if outcome.source == SOURCE else outcome.source)
        for gpu in measured
        for outcome in _of(gpu)
    ]
    text = f"{len(measured)} GPUs are registered with NVSwitches outside of this node"
    return trouble or [Outcome(NAME, "ok", text)]


def _of(gpu: Gpu) -> Iterator[Outcome]:
    if gpu.fabric_state is None:
        return
    if gpu.fabric_state != "completed":
        message = f"the registration with the NVSwitches is {gpu.fabric_state}"
        yield Outcome(NAME, "failed", message, gpu_name(gpu), _RESTART, SOURCE)
    elif gpu.fabric_status != "success":
        message = f"the registration with the NVSwitches failed: {gpu.fabric_status}"
        yield Outcome(NAME, "failed", message, gpu_name(gpu), _RESTART, SOURCE)
    yield from _health(gpu, gpu.fabric_health or 0)


def _health(gpu: Gpu, mask: int) -> Iterator[Outcome]:
    causes = [words for shift, words in _HEALTH if mask >> shift & 0x3 == 1]
    # 0 is "not supported" and 1 "none": everything above is a configuration that is wrong in some way.
    wrong = mask >> 8 & 0xF
    causes += [f"the configuration is wrong ({wrong})"] if wrong > 1 else []
    if causes:
        yield Outcome(
            NAME, "failed", f"on the NVLink fabric, {' and '.join(causes)}", gpu_name(gpu), _RESTART, HEALTH_SOURCE
        )
