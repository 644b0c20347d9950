"""Commands on a head node by AWS Systems Manager: no open port and no key, only the right to send commands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import answer, client
from trainyard.edge.aws.refusals import code, words
from trainyard.edge.remote.answer import Answer, UnreachableError
from trainyard.edge.remote.shell_line import answer_in, line_as_cluster_user
from trainyard.errors import TrainyardError

# How long the agent may take to fetch a command, and the command to run.
_DELIVERY_S = 60
_RUNNING_S = 120
_GRACE_S = 30
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.5, 4.0
# https://docs.aws.amazon.com/systems-manager/latest/userguide/monitor-commands.html
_UNDER_WAY = {"Pending", "InProgress", "Delayed", "Cancelling"}
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

    @property
    def words(self) -> str:
        """Return which machine it is."""
        return f"{self.instance} by Systems Manager"

    def run(self, arguments: Sequence[str], content: bytes = b"") -> Answer:
        """Run a command there as the user of the cluster.

        Raises NotAllowedError where the account does not let one, UnreachableError where the node does not answer.
        """
        ended = self._ended(self._sent(line_as_cluster_user(arguments, content, self.block_bytes)))
        found = answer_in(ended.get("StandardOutputContent", ""), self.words)
        if found is not None:
            return found
        said = " ".join(ended.get("StandardErrorContent", "").split())[-300:]
        status = ended.get("StatusDetails") or ended["Status"]
        if said.startswith("trainyard: error: "):
            raise TrainyardError(said.removeprefix("trainyard: error: "), where=self.words)
        raise self._unreachable(f"{status}{f': {said}' if said else ''}")

    def _sent(self, line: str) -> str:
        def ask() -> str:
            sent = client(self.account, "ssm").send_command(
                InstanceIds=[self.instance],
                DocumentName="AWS-RunShellScript",
                TimeoutSeconds=_DELIVERY_S,
                Comment="trainyard bench submit",
                Parameters={"commands": [line], "executionTimeout": [str(_RUNNING_S)]},
            )
            return str(sent["Command"]["CommandId"])

        return str(self._asked("ssm:SendCommand", lambda: self._managed(ask)))

    def _asked(self, permission: str, ask: Any) -> Any:
        """Return what AWS answers; a network that went away may come back."""
        try:
            return answer(self.account, permission, ask)
        except TrainyardError as error:
            if isinstance(error.__cause__, BotoCoreError):
                raise UnreachableError(error.problem, where=error.where, hint=error.hint) from error
            raise

    def _managed(self, ask: Any) -> str:
        """Ask, and say so where Systems Manager does not have the node."""
        try:
            command: str = ask()
        except ClientError as error:
            if code(error) in _NOT_MANAGED:
                raise self._unreachable(words(error) or code(error)) from error
            raise
        return command

    def _ended(self, command: str) -> dict[str, Any]:
        """Return how a command ended. It is known a moment after it was sent."""
        pause_s = _FIRST_PAUSE_S
        end = self.account.clock.now() + _DELIVERY_S + _RUNNING_S + _GRACE_S
        while self.account.clock.now() < end:
            found = self._invocation(command)
            if found is not None and found["Status"] not in _UNDER_WAY:
                return found
            self.account.clock.sleep(pause_s)
            pause_s = min(pause_s * 1.5, _LONGEST_PAUSE_S)
        raise self._unreachable(f"the command {command} has not ended in time")

    def _invocation(self, command: str) -> dict[str, Any] | None:
        def ask() -> dict[str, Any] | None:
            try:
                found: dict[str, Any] = client(self.account, "ssm").get_command_invocation(
                    CommandId=command, InstanceId=self.instance
                )
            except ClientError as error:
                if code(error) == "InvocationDoesNotExist":  # not yet
                    return None
                raise
            return found

        found: dict[str, Any] | None = self._asked("ssm:GetCommandInvocation", ask)
        return found

    def _unreachable(self, said: str) -> UnreachableError:
        return UnreachableError(
            f"the head node cannot be reached by Systems Manager: {said}",
            where=self.instance,
            hint="its agent has to be online (`aws ssm describe-instance-information`), which takes "
            "AmazonSSMManagedInstanceCore on the head node's role and a way to Systems Manager; or use --ssh HOST",
        )
