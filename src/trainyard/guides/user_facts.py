"""As whom people work on nodes."""

from __future__ import annotations

from trainyard.operate.connect.node_user import default_users


def user_rows() -> str:
    """Return the table of the default users, each with the operating systems that have it."""
    users = default_users()
    systems = {user: [os for os, of in users.items() if of == user] for user in dict.fromkeys(users.values())}
    rows = (f"| `{user}` | {', '.join(f'`{os}`' for os in of_user)} |" for user, of_user in systems.items())
    return "\n".join(("| User | Operating systems |", "|---|---|", *rows))
