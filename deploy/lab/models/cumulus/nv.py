"""`nv`: hands its words to nvued, as the real one does, and says what comes back."""

from __future__ import annotations

import json
import os
import socket
import sys
from pathlib import Path

SOCKET = Path("/run/modelled/nvued")


def main(words: list[str]) -> int:
    """The status that it ends with."""
    if words[:2] == ["config", "patch"]:
        words = [*words[:2], *map(os.path.abspath, words[2:])]
    with socket.socket(socket.AF_UNIX) as nvued:
        try:
            nvued.connect(str(SOCKET))
            nvued.sendall(json.dumps(words).encode())
            nvued.shutdown(socket.SHUT_WR)
            status, text = json.loads(b"".join(iter(lambda: nvued.recv(65536), b"")))
        except (OSError, ValueError):
            status, text = 1, "Error: Could not connect to nvued."
    if text:
        print(text, file=sys.stderr if status else sys.stdout)
    return int(status)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
