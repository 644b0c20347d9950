"""What is asked of Systems Manager for a shell, and for the stream that ssh runs over."""

from __future__ import annotations

from trainyard.edge.aws.ssm_sessions import SessionRequest
from trainyard.operate.connect.node_user import SESSION_USER

SSH_PORT = 22


def shell_request(instance: str, user: str) -> SessionRequest:
    """Return the request of a login shell as a user; of the session's own shell for the session's own user.

    The command is fixed, and the user's name has been checked.
    https://docs.aws.amazon.com/systems-manager/latest/userguide/session-manager-working-with-sessions-start.html
    """
    if user == SESSION_USER:
        return SessionRequest(instance)
    return SessionRequest(instance, "AWS-StartInteractiveCommand", {"command": f"sudo su - {user}"})


def ssh_request(instance: str) -> SessionRequest:
    """Return the request of a stream to the node's sshd.

    https://docs.aws.amazon.com/systems-manager/latest/userguide/session-manager-getting-started-enable-ssh-connections.html
    """
    return SessionRequest(instance, "AWS-StartSSHSession", {"portNumber": str(SSH_PORT)})
