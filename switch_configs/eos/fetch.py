"""What shows what a switch runs, and how the answer is framed: at its command line, or as evidence.

At the command line the configuration goes from its first line, `! Command: show running-config`, to
`end` (Arista EOS User Manual, "Managing the Switch"); before it come the sessions as JSON, and how
the startup file differs from it (`show running-config diffs`, the same manual). Evidence is
a line `railbed-fetch 1`, one `running EXIT_STATUS BYTES` or more, each with its bytes in base64,
then `railbed-fetch end`: no byte of a configuration can look like a frame.
"""

from __future__ import annotations

import binascii
import json
import re
from base64 import b64decode

from switch_configs.errors import DialectError

from .sessions import SESSIONS, pending

_BEGIN, _END = "railbed-fetch 1", "railbed-fetch end"
_FIRST, _LAST = "! Command: show running-config", "end"
FETCH_COMMAND = f"{SESSIONS}\nshow running-config diffs\nshow running-config"


def parse(device: str, output: str) -> tuple[str, bool]:
    """What runs, and whether a change waits for its confirmation.

    `DialectError` when the answer is cut, doubled or was changed on its way.
    """
    if not output.lstrip().startswith(_BEGIN):
        return _typed(device, output)
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


def is_saved(output: str) -> bool:
    """Whether a typed answer shows no line that is only in what runs, or only in the startup file.

    Evidence says nothing of it.
    """
    return not re.search(r"(?m)^[-+](?![-+]{2} |\s*!|\s*$)", _parted(output)[1])


def _parted(output: str) -> tuple[str, str, str]:
    """The sessions, the differences, and the configuration behind its first line."""
    before, _, text = f"\n{output}".replace("\r", "").partition(f"\n{_FIRST}\n")
    try:
        end = json.JSONDecoder().raw_decode(before.lstrip())[1]
    except ValueError:
        return before, "", text.rstrip()
    return before.lstrip()[:end], before.lstrip()[end:], text.rstrip()


def _typed(device: str, output: str) -> tuple[str, bool]:
    sessions, _, text = _parted(output)
    if text.rpartition("\n")[2] != _LAST:
        raise _broken(device, "its first or last line is missing")
    return f"{_FIRST}\n{text}\n", bool(pending(sessions))


def _broken(device: str, why: str) -> DialectError:
    return DialectError(
        f"{device}: the answer to the fetch command cannot be read: {why}",
        "run it again; a login banner or a cut connection changes what comes back",
    )
