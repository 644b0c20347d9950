"""A node in a Slurm that only remembers reservations."""

from __future__ import annotations

from collections.abc import Sequence

from tests.node.doubles import FakeClock, FakeProcesses
from trainyard_node.processes import Ran

NAME = "train-st-gpu-1"
RESERVATION = f"trainyard-hold-{NAME}"


class FakeSlurm(FakeProcesses):
    """Answers scontrol. What is in `fails` fails, such as create."""

    def __init__(self) -> None:
        """Have no reservations."""
        super().__init__(FakeClock())
        self.reservations: set[str] = set()
        self.fails: set[str] = set()

    def run(self, command: Sequence[str], timeout_s: float, stdin: str = "") -> Ran:
        answer = super().run(command, timeout_s, stdin)
        return self._scontrol(command[1:]) if command[0] == "scontrol" else answer

    def _scontrol(self, words: Sequence[str]) -> Ran:
        if words[0] in self.fails:
            return Ran(1, "slurm_load: Unable to contact slurm controller")
        name = next((word.partition("=")[2] for word in words if word.startswith("ReservationName=")), words[-1])
        if list(words[:2]) == ["show", "reservation"]:
            found = name in self.reservations
            return Ran(0, f"ReservationName={name} StartTime=now") if found else Ran(1, f"Reservation {name} not found")
        if words[0] == "create":
            self.reservations.add(name)
        if words[0] == "update" and any(word.startswith("ReservationName=") for word in words):
            assert name in self.reservations
        if words[0] == "delete":
            self.reservations.remove(name)
        return Ran(0, "")

    def actions(self) -> list[str]:
        """Return what was asked of scontrol that changes something, and what was done to jobs."""
        return [" ".join(words) for words in self.commands if words[1] != "show"]
