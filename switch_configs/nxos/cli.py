"""How NX-OS's own command line is spoken to, by the plain login of role network-admin.

Cisco Nexus 9000 NX-OS Fundamentals guide: a refused line is answered by `% ...`, or by words that
end in `at '^' marker.` Files go to bootflash by SCP (`feature scp-server`), and `show file FILE
md5sum` says whether they came whole, as netmiko's and Ansible's modules for NX-OS do it. A check of
a patch says `Syntax error while parsing` of lines that it then takes, so that is no refusal.
"""

from __future__ import annotations

import json
import re
from typing import Any

from switch_configs.errors import DialectError
from switch_configs.intent import Cli

from .checkpoints import pending, undo
from .running import kept_lines

_REFUSED = re.compile(
    r"^\s*% |at '\^' marker|^\s*ERROR\b"
    r"|(?i:verification failed|rollback failed|replace failed|no space left|permission denied)"
)
_DONE = re.compile(r"(?i)(configure replace|rollback) completed successfully")
_MAC = ("eth_hw_addr", "svi_mac")


def _ask_identity(port: str) -> str:
    return f"show hostname\nshow interface {port} | json"


def _identity(answer: str) -> tuple[str, str]:
    """`show hostname` adds the domain; a switch of the plan has a name without one."""
    try:
        name, _, document = answer.replace("\r", "").strip().partition("{")
        row: Any = json.loads("{" + document)["TABLE_interface"]["ROW_interface"]
        (mac,) = {re.sub(r"[^0-9a-f]", "", row[key].lower()) for key in _MAC if key in row}
        (host,) = name.split()
        return host.partition(".")[0], ":".join(re.findall("..", mac))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise DialectError(f"the switch does not say who it is ({type(error).__name__})") from None


CLI = Cli(
    user="admin",
    refused=_REFUSED,
    opens=(),
    closes=(),
    ask_identity=_ask_identity,
    identity=_identity,
    pending=pending,
    undo=undo,
    kept=kept_lines,
    digest="show file {path} md5sum",
    proofs=(("rollback running-config ", _DONE),),
)
