"""What could not be read: some of it by name, and all of it counted."""

from __future__ import annotations

from trainyard.diagnose.log_file import Unread

# More are not worth a user's time, and an archive can hold a million of them.
_MOST = 200


class UnreadList:
    """Grows while a source is read."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.count = 0
        self._listed: list[Unread] = []

    @property
    def listed(self) -> tuple[Unread, ...]:
        """The first of them."""
        return tuple(self._listed)

    def add(self, name: str, why: str) -> None:
        """Count something that was not read, or not to its end, and keep it where there is room."""
        self.count += 1
        if len(self._listed) < _MOST:
            self._listed.append(Unread(name, why))
