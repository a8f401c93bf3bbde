"""How NX-OS's own command line is spoken to, by the plain login of role network-admin.

Cisco Nexus 9000 NX-OS Fundamentals guide: a refused line is answered by `% ...`, or by words that
end in `at '^' marker.` Files go to bootflash by SCP (`feature scp-server`), and `show file FILE
md5sum` says whether they came whole, as netmiko's and Ansible's modules for NX-OS do it. A check of
a patch says `Syntax error while parsing` of lines that it then takes, so that is no refusal.

A change that nobody confirmed is marked by its checkpoint and its candidate file. Both are made
before anything is applied, and go once it was confirmed, so one that was cut off anywhere is found.
Checkpoints stay until `write erase` (Cisco Nexus NX-OS System Management guides, "Configuring
Rollback"); a reload may take them (others say so), and then loads the startup file, the old one.
"""

from __future__ import annotations

import json
import re
from secrets import token_hex
from typing import Any

from switch_configs.errors import DialectError
from switch_configs.intent import Cli, Looks

from .answers.clock import ASK_BOOT, boot
from .running import kept_lines
from .state import MASK, SECRET

_FILE = "railbed-candidate.cfg"
CANDIDATE = f"bootflash:/{_FILE}"
FORGET_FILE = f"delete {CANDIDATE} no-prompt"
COMMIT = "configure replace commit"
SUMMARY = "show checkpoint summary"
PENDING_COMMAND = f"{SUMMARY}\ndir {CANDIDATE}"

_LISTED = re.compile(r"(?m)^\s*\d+\)\s*(railbed-[0-9a-f]{8}):?\s*$")
_LIES_THERE = re.compile(rf"(?m)^\s*\d+\s.*\s{re.escape(_FILE)}\s*$")
_REFUSED = re.compile(
    r"^\s*% |at '\^' marker|^\s*ERROR\b"
    r"|(?i:verification failed|rollback failed|replace failed|no space left|permission denied)"
)
# The last word where it already runs what is wanted: another may be of a switch profile's patch.
_DONE = re.compile(
    r"(?i)(configure replace|rollback) completed successfully|rollback patch is empty\.?\s*\Z"
)
# Words may be cut short, and the mask reads no JSON: what shows a configuration is asked whole.
_ALLOWED = re.compile(
    r"show (running|startup)-config|echo railbed-[\w ]+"
    r"|show (?! *(?i:ru|sta|ch|fi|te))[\w./ -]+( \| json)?"
)
_MACS = ("eth_bia_addr", "eth_hw_addr", "svi_mac")
"""The burned-in address first: the other one may have been set."""


def _ask_identity(port: str) -> str:
    return f"show hostname\nshow interface {port} | json"


def _identity(answer: str) -> tuple[str, str]:
    """`show hostname` adds the domain; a switch of the plan has a name without one."""
    try:
        name, _, document = answer.replace("\r", "").strip().partition("{")
        row: Any = json.loads("{" + document)["TABLE_interface"]["ROW_interface"]
        mac = next(row[key] for key in _MACS if key in row)
        (host,) = name.split()
        digits = re.sub(r"[^0-9a-f]", "", mac.lower())
        return host.partition(".")[0], ":".join(re.findall("..", digits))
    except (AttributeError, KeyError, StopIteration, TypeError, ValueError) as error:
        raise DialectError(f"the switch does not say who it is ({type(error).__name__})") from None


def new_name() -> str:
    """NX-OS overwrites no checkpoint, so each push has one of its own."""
    return f"railbed-{token_hex(4)}"


def pending(answer: str) -> tuple[str, ...]:
    """Our checkpoints, and our file; those of others are theirs."""
    answer = answer.replace("\r", "")
    file = (_FILE,) if _LIES_THERE.search(answer) else ()
    return (*sorted(set(_LISTED.findall(answer))), *file)


def undo(names: tuple[str, ...]) -> str:
    """Lines that bring back what ran at these checkpoints, and forget them and the file.

    A refused line ends them, so a checkpoint stays until its rollback was done: where NX-OS takes
    none while a commit timer runs, its timer is what leads back. Where it took the rollback, the
    timer may run on, and no other replace be taken: the last line ends it, or is refused.
    """
    marks = [name for name in names if name != _FILE]
    lines = [
        line
        for name in marks
        for line in (f"rollback running-config checkpoint {name} atomic", f"no checkpoint {name}")
    ]
    return "\n".join((*lines, FORGET_FILE, *([COMMIT] if marks else [])))


CLI = Cli(
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
    looks=Looks(
        ask_boot=ASK_BOOT,
        boot=boot,
        allowed=_ALLOWED,
        secret=SECRET,
        mask=MASK,
    ),
)
