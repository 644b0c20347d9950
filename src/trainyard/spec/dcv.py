"""Remote desktops."""

from __future__ import annotations

from typing import Annotated

from trainyard.field import Whole
from trainyard.record import Record
from trainyard.spec.text import Cidr

Port = Annotated[int, Whole("a port from 1 to 65,535", least=1, most=65_535)]


class Dcv(Record):
    """Amazon DCV: a desktop in the browser, for who looks at pictures instead of logs."""

    port: Port = 8443
    """Port of the DCV server."""
    allow_from: Cidr | None = None
    """The one address range that may reach it. By default private addresses only."""
