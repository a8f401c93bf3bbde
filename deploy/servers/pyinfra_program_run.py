"""pyinfra's own command line, patient and without two of its costs. A script, not imported.

`python -P deploy/servers/pyinfra_program_run.py ROOT ARGUMENTS`: ROOT, where our inventory and
deploy script lie, goes first on the path.

- For the order of operations pyinfra looks at the stack, of which it needs file and line: the
  source around them, which nobody reads, is a third of the CPU that a run takes here.
- Neither paramiko nor the sshd of a jump host switches Nagle's algorithm (RFC 896) off, so a small
  packet waits until the one before it is acknowledged, and the far kernel takes up to 40 ms for
  that (RFC 1122, 4.2.3.2). Behind a jump host each command took 88 ms; it takes 4.
"""

from __future__ import annotations

import socket
import sys
from contextlib import suppress
from functools import partial
from inspect import getframeinfo, stack
from typing import Any

# It has gevent patch `select`, `socket` and the rest, so it comes before all that uses them:
# otherwise the first read through a ProxyCommand blocks every host, for ever.
from pyinfra_cli.main import main  # isort: skip
import paramiko
import paramiko.transport
from pyinfra.api import util

# Linux's alone (tcp(7)), and over once the kernel thinks that it is no longer needed.
KEYS_S = 60.0
_ACKNOWLEDGE_AT_ONCE = getattr(socket, "TCP_QUICKACK", None)


class UndelayedPacketizer(paramiko.packet.Packetizer):
    """paramiko's own, over a connection that sends and acknowledges at once."""

    def __init__(self, connection: Any) -> None:
        super().__init__(connection)
        self._connection = connection
        self._set(socket.TCP_NODELAY)

    def start_handshake(self, timeout: float) -> None:
        """A busy host takes longer for its keys than paramiko's 15 s, which no option changes."""
        super().start_handshake(max(timeout, KEYS_S))

    def read_message(self) -> Any:
        """The next message; what the far end waits for is acknowledged."""
        message = super().read_message()
        if _ACKNOWLEDGE_AT_ONCE is not None:
            self._set(_ACKNOWLEDGE_AT_ONCE)
        return message

    def _set(self, option: int) -> None:
        # Through a jump host the connection is a channel, and the jump's own socket is set.
        with suppress(AttributeError, OSError):
            self._connection.setsockopt(socket.IPPROTO_TCP, option, 1)


def undelay() -> None:
    """Have every connection that paramiko opens from now on send and acknowledge at once."""
    paramiko.transport.Packetizer = UndelayedPacketizer  # type: ignore[attr-defined, assignment]


if __name__ == "__main__":
    sys.path.insert(0, sys.argv.pop(1))
    util.stack, util.getframeinfo = partial(stack, 0), partial(getframeinfo, context=0)
    undelay()
    main()
