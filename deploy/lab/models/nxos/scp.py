"""One file by SCP towards the switch: the protocol of OpenSSH's `scp -t`."""

from __future__ import annotations

from ..box import Channel


def taken(channel: Channel, path: str, is_full: bool, cuts: int) -> tuple[bytes | None, bool]:
    """What came, and whether it is whole; who sends is not told yet that it is.

    `is_full`: there is no room. `cuts`: after so many bytes the connection ends, if not 0.
    """
    try:
        channel.sendall(b"\0")
        heard = b""
        while b"\n" not in heard:
            if not (more := channel.recv(4096)):
                return None, False
            heard += more
        head, _, content = heard.partition(b"\n")
        if is_full:
            channel.sendall(f"\1scp: {path}: No space left on device\n".encode())
            return None, False
        channel.sendall(b"\0")
        size = int(head.split()[1])
        while len(content) <= size and (more := channel.recv(65536)):
            content += more
    except (OSError, EOFError):
        return None, False
    if cuts:
        return content[:cuts], False
    return content[:size], len(content) > size
