"""Reads what a command on a channel of SSH says, to its end."""

from __future__ import annotations

import time

import paramiko

_CHUNK_BYTES = 65536


def drained(channel: paramiko.Channel, deadline: float) -> tuple[bytes, bytes]:
    """Both streams to their end; TimeoutError when the deadline comes first."""
    out, err = bytearray(), bytearray()
    while True:
        channel.settimeout(max(0.0, deadline - time.monotonic()))
        chunk = channel.recv(_CHUNK_BYTES)
        while channel.recv_stderr_ready():
            err += channel.recv_stderr(_CHUNK_BYTES)
        if not chunk:
            break
        out += chunk
    while rest := channel.recv_stderr(_CHUNK_BYTES):
        err += rest
    return bytes(out), bytes(err)


def exit_status(channel: paramiko.Channel, deadline: float) -> int:
    """Wait for it: it may follow the end of the streams (RFC 4254, 6.10); -1 for none."""
    channel.status_event.wait(max(0.0, deadline - time.monotonic()))
    return channel.recv_exit_status() if channel.exit_status_ready() else -1
