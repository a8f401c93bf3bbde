"""What shows what a switch runs, and how the answer is framed.

The configuration goes from its first line, `! Command: show running-config` (as evidence with
`sanitized` behind it), to `end` (Arista EOS User Manual, "Managing the Switch"); before it come the
sessions as JSON, and how the startup file differs from it (`show running-config diffs`, the same
manual), of which evidence says nothing.
"""

from __future__ import annotations

import json
import re

from switch_configs.errors import DialectError

from .sessions import SESSIONS, pending

_FIRST = re.compile(r"(?m)^! Command: show running-config(?: sanitized)?$")
_LAST = "end"
FETCH_COMMAND = f"{SESSIONS}\nshow running-config diffs\nshow running-config"


def parse(device: str, output: str) -> tuple[str, bool]:
    """What runs, and whether a change waits for its confirmation.

    `DialectError` when the answer is cut or doubled, and as `pending`.
    """
    sessions, _, text = _parted(output)
    if not text or text.rpartition("\n")[2] != _LAST:
        raise _broken(device, "its first or last line is missing")
    if _FIRST.search(text, 1):
        raise _broken(device, "it is not one configuration")
    try:
        return f"{text}\n", bool(pending(sessions))
    except DialectError as error:
        raise DialectError(f"{device}: {error.message}", error.hint) from None


def is_saved(output: str) -> bool:
    """Whether no line is only in what runs, or only in the startup file, as far as it is told."""
    return not re.search(r"(?m)^[-+](?![-+]{2} |\s*!|\s*$)", _parted(output)[1])


def _parted(output: str) -> tuple[str, str, str]:
    """The sessions, the differences, and the configuration from its first line on."""
    output = output.replace("\r", "")
    first = _FIRST.search(output)
    before, text = (output[: first.start()], output[first.start() :]) if first else (output, "")
    try:
        end = json.JSONDecoder().raw_decode(before.lstrip())[1]
    except ValueError:
        return before, "", text.rstrip()
    return before.lstrip()[:end], before.lstrip()[end:], text.rstrip()


def _broken(device: str, why: str) -> DialectError:
    return DialectError(
        f"{device}: the answer to the fetch command cannot be read: {why}",
        "run it again; a login banner or a cut connection changes what comes back",
    )
