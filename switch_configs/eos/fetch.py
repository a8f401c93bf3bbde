"""The one command that shows what a switch runs, and how its answer is framed.

It runs in the switch's own shell (`username NAME shell /bin/bash`), where FastCli is the CLI. The
answer is a line `railbed-fetch 1`, one `running EXIT_STATUS BYTES` or more, each with its bytes in
base64, then `railbed-fetch end`: no byte of a configuration can look like a frame.
"""

from __future__ import annotations

import binascii
from base64 import b64decode

from switch_configs.errors import DialectError

from .files import PENDING

_BEGIN, _END = "railbed-fetch 1", "railbed-fetch end"
FETCH_COMMAND = (
    f"echo {_BEGIN}; "
    "r=$(timeout 60 FastCli -p 15 -c 'show running-config' 2>/dev/null); s=$?; "
    'echo "running $s $(printf "%s\\n" "$r" | wc -c)"; printf "%s\\n" "$r" | base64; '
    f"{PENDING} >/dev/null && echo pending; "
    f"echo {_END}"
)


def parse(device: str, output: str) -> tuple[str, bool]:
    """What runs, and whether a change waits for its confirmation.

    `DialectError` when the answer is cut, doubled or was changed on its way.
    """
    lines = output.replace("\r", "").strip().splitlines()
    if len(lines) < 3 or lines[0] != _BEGIN or lines[-1] != _END:
        raise _broken(device, "its first or last line is missing")
    words = lines[1].split()
    is_pending = lines[-2] == "pending"
    body = lines[2 : -2 if is_pending else -1]
    if len(words) != 3 or words[0] != "running" or any(" " in line for line in body):
        raise _broken(device, "it is not one configuration")
    if words[1] != "0":
        raise _broken(device, f"the CLI ended with status {words[1]}")
    try:
        content = b64decode("".join(body), validate=True)
    except binascii.Error as error:
        raise _broken(device, str(error)) from None
    if words[2] != str(len(content)):
        raise _broken(device, f"{len(content)} bytes of {words[2]} came")
    return content.decode("utf-8", "backslashreplace"), is_pending


def _broken(device: str, why: str) -> DialectError:
    return DialectError(
        f"{device}: the answer to the fetch command cannot be read: {why}",
        "run it again; a login banner or a cut connection changes what comes back",
    )
