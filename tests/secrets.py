"""A hundred secrets of many kinds, and devices whose lines of nobody hold them.

The forms are those of switch systems and of files on servers; none was taken from the code that
hides them.
"""

from __future__ import annotations

import json
import random
from dataclasses import replace

import yaml

from switch_configs.intent import ConfigFile, Rendered

_FORMS = """
mlag psk={}
Authorization: Bearer {}
aws_secret_access_key={}
MYSQL_PWD={}
url https://u:{}@h/x
community-string {}
macsec cak {}
vrrp authentication text {}
-----BEGIN PRIVATE {}
description hunter {}
exec /usr/bin/x -a {}
key 7 {}
password {}
secret sha512 {}
snmp-server host 1.1.1.1 {}
snmp-server community {} ro
tacacs-server key {}
radius host x key {}
ntp authentication-key 1 md5 {}
neighbor 1.1.1.1 password {}
alias x {}
pre-shared-key {}
token {}
hostkey {}
ip ospf message-digest-key 1 md5 {}
isis password {}
ssid {}
passphrase {}
credential {}
otp {}
pin {}
username eve nopassword comment {}
interface Ethernet1/1 {}
mtu {}
hostname {}
logging host {}
remote-as {}
# {}
! {}
{}
{}: {}
"""
LINES = tuple(
    line.replace("PRIVATE {}", "PRIVATE " + "KEY-----{}") for line in _FORMS.splitlines() if line
)
_DRAW = random.Random(100)  # the same in every run
_LETTERS = "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"


def _secret(number: int) -> str:
    """Letters and digits, or (of every fourth) digits alone: a PIN is a secret too."""
    if number % 4 == 3:
        return str(_DRAW.randrange(10**8, 10**9))
    return "".join(_DRAW.choices(_LETTERS, k=14))


PLANTED = {f"{number} {form}": _secret(number) for number, form in enumerate((LINES * 3)[:100])}
"""The secret of each kind, by its number and form."""


def filled() -> list[str]:
    """Each form with its secret."""
    return [
        form.replace("{}", PLANTED[f"{number} {form}"])
        for number, form in enumerate((LINES * 3)[:100])
    ]


def planted(rendered: Rendered) -> Rendered:
    """The same device with such lines in every file: outside all, and inside what is planned."""
    return replace(rendered, files=tuple(map(_in_file, rendered.files)))


def _in_file(file: ConfigFile) -> ConfigFile:
    if file.path.endswith(".json"):
        return replace(file, text=_in_json(file.text))
    if file.path.endswith((".yaml", ".yml")):
        odd = {f"k{number}": line for number, line in enumerate(filled())}
        more = [{"set": {"system": {"odd": odd}, "odd": list(odd.values())}}]
        return replace(file, text=file.text + yaml.safe_dump(more))
    lines = file.text.splitlines()
    middle = next((at for at, line in enumerate(lines) if line[:1] == " "), len(lines) // 2)
    inner = [f"   {line}" for line in filled()]
    again = [f"{line} again" for line in filled()]
    text = [*filled(), *lines[:middle], *inner, *lines[middle:], *again]
    return replace(file, text="\n".join(text) + "\n")


def _in_json(text: str) -> str:
    tree = json.loads(text)
    rows = {f"f{number}": line for number, line in enumerate(filled())}
    tree["ODD"] = {"row": rows, **{line: {} for line in filled()}}
    for table in list(tree.values()):
        for row in list(table.values())[:1]:
            if isinstance(row, dict):
                row.update(rows)
    return json.dumps(tree, indent=4) + "\n"
