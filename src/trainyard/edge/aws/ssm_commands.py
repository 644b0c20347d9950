"""Commands on a head node by AWS Systems Manager: no open port and no key, only the right to send commands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import BotoCoreError

from trainyard.counts import count_text
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import call
from trainyard.edge.aws.errors import code, has_code, words
from trainyard.edge.remote_command import CommandResult, UnreachableError, answer_in, line_as_cluster_user
from trainyard.errors import TrainyardError

_GRACE_S = 30
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.5, 4.0
# https://docs.aws.amazon.com/systems-manager/latest/userguide/monitor-commands.html
_UNDER_WAY = {"Pending", "InProgress", "Delayed", "Cancelling"}
_RAN = {"Success", "Failed"}
_NOT_MANAGED = {"InvalidInstanceId", "InvalidInstanceInformationFilterValue"}


@dataclass(frozen=True, slots=True)
class SsmSlurm:
    """A head node, by Systems Manager."""

    account: Account
    instance: str
    # The first 24,000 characters of an output are passed on, and base64 makes 4 characters of 3 bytes.
    # https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_GetCommandInvocation.html
    block_bytes: int = 16 * 2**10
    is_here: bool = False
    # How long the agent may take to fetch a command, and the command to run; Systems Manager takes no less than 30.
    # https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_SendCommand.html
    delivery_s: int = 60
    running_s: int = 120

    @property
    def words(self) -> str:
        """Return which machine it is."""
        return f"{self.instance} by Systems Manager"

    def run(self, arguments: Sequence[str], content: bytes = b"") -> CommandResult:
        """Run a command there as the user of the cluster.

        Raises NotAllowedError where the account does not let one, UnreachableError where the node does not answer.
        """
        ended = self._ended(self._sent(line_as_cluster_user(arguments, content, self.block_bytes)))
        answer = answer_in(ended.get("StandardOutputContent", ""), self.words)
        if answer is not None:
            return answer
        message = " ".join(ended.get("StandardErrorContent", "").split())[-300:]
        status = ended.get("StatusDetails") or ended["Status"]
        if message.startswith("trainyard: error: "):
            raise TrainyardError(message.removeprefix("trainyard: error: "), where=self.words)
        if ended["Status"] in _RAN:
            raise self._unanswered(message, len(ended.get("StandardOutputContent", "")))
        raise self._unreachable(f"{status}{f': {message}' if message else ''}")

    def _sent(self, line: str) -> str:
        """Send a command and return its id; say so where Systems Manager does not have the node."""
        try:
            answer = self._call(
                "send_command",
                InstanceIds=[self.instance],
                DocumentName="AWS-RunShellScript",
                TimeoutSeconds=self.delivery_s,
                Comment="trainyard",
                Parameters={"commands": [line], "executionTimeout": [str(self.running_s)]},
            )
        except TrainyardError as error:
            if error.__cause__ is not None and has_code(error.__cause__, _NOT_MANAGED):
                raise self._unreachable(words(error.__cause__) or code(error.__cause__)) from error.__cause__
            raise
        return str(answer["Command"]["CommandId"])

    def _call(self, operation: str, **parameters: Any) -> Any:
        """Return what AWS answers; a network that went away may come back."""
        try:
            return call(self.account, "ssm", operation, **parameters)
        except TrainyardError as error:
            if isinstance(error.__cause__, BotoCoreError):
                raise UnreachableError(error.problem, where=error.where, hint=error.hint) from error
            raise

    def _ended(self, command: str) -> dict[str, Any]:
        """Return how a command ended. It is known a moment after it was sent."""
        pause_s = _FIRST_PAUSE_S
        end = self.account.clock.now() + self.delivery_s + self.running_s + _GRACE_S
        while self.account.clock.now() < end:
            invocation = self._invocation(command)
            if invocation is not None and invocation["Status"] not in _UNDER_WAY:
                return invocation
            self.account.clock.sleep(pause_s)
            pause_s = min(pause_s * 1.5, _LONGEST_PAUSE_S)
        raise self._unreachable(f"the command {command} has not ended in time")

    def _invocation(self, command: str) -> dict[str, Any] | None:
        not_yet = ("InvocationDoesNotExist",)
        place = {"CommandId": command, "InstanceId": self.instance}
        invocation: dict[str, Any] | None = self._call("get_command_invocation", none_if=not_yet, **place)
        return invocation

    def _unanswered(self, message: str, printed_count: int) -> UnreachableError:
        """Return what is wrong with a command that ran; what it printed may be part of a secret, and is not shown."""
        why = message or f"it printed {count_text(printed_count, 'character') if printed_count else 'nothing'}"
        return UnreachableError(
            f"a command ran on the head node, and no whole answer came back: {why}",
            where=self.instance,
            hint="try again; if it stays so, look there at what root's shell prints and whether it has bash and base64",
        )

    def _unreachable(self, reason: str) -> UnreachableError:
        return UnreachableError(
            f"the head node cannot be reached by Systems Manager: {reason}",
            where=self.instance,
            hint="its agent has to be online (`aws ssm describe-instance-information`), which takes "
            "AmazonSSMManagedInstanceCore on the head node's role and a way to Systems Manager; some commands take "
            "--ssh HOST instead",
        )
