"""What NVUE holds: a tree of objects, and that tree as the YAML that it prints and reads.

Secrets of TACACS+ and SNMPv3 are shown as `$nvsec$...` (Cumulus Linux 5.14, TACACS; Optional BGP
Configuration), the hash of a password as `*` (there, User Accounts). Here each secret is encrypted
anew, so that none can be compared.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from hashlib import sha256

from ..trees import Tree

_PLAIN = re.compile(r"[\w/.](?:[\w/.+@,-]|[: ](?=[\w/.]))*")
_NAMED = ("auth-sha", "encrypt-aes")  # the name below is the secret


class Refused(Exception):
    """What `nv` says on its standard error."""


def without(tree: Tree, gone: Tree) -> Tree:
    """A tree without these objects, and without what is empty then."""
    out = dict(tree)
    for key, below in gone.items():
        if key not in out:
            raise Refused(f"Error: '{key}' is not configured")
        rest = without(out[key], below) if isinstance(below, dict) and below else {}
        if rest:
            out[key] = rest
        else:
            del out[key]
    return out


def encrypted(tree: Tree, above: str = "") -> Tree:
    """A tree whose secrets are as they are shown: values of `secret`, names below SNMPv3's."""
    out: Tree = {}
    for key, value in tree.items():
        name = hidden(key) if above in _NAMED else key
        if isinstance(value, dict):
            out[name] = encrypted(value, key)
        else:
            out[name] = hidden(value) if key == "secret" else value
    return out


def hidden(text: str) -> str:
    """A text as it is shown encrypted; another time in another way."""
    if text.startswith("$nvsec$"):
        return text
    salt = os.urandom(8)
    return f"$nvsec${salt.hex()}{sha256(salt + text.encode()).hexdigest()}"


def differing(tree: Tree, other: Tree, *, goes: bool = False) -> Tree:
    """What a tree has that the other has not; or, where it `goes`, which objects of it."""
    out: Tree = {}
    for key, value in tree.items():
        if key not in other:
            out[key] = {} if goes else value
        elif isinstance(value, dict) and isinstance(other[key], dict):
            out |= {key: found} if (found := differing(value, other[key], goes=goes)) else {}
        elif value != other[key] and not goes:
            out[key] = value
    return out


def paths(tree: Tree, above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Each leaf's path."""
    for key, value in tree.items():
        if isinstance(value, dict) and value:
            yield from paths(value, (*above, key))
        else:
            yield (*above, key)


def lines(tree: Tree, above: str = "") -> Iterator[str]:
    """Each leaf as its words, its value the last of them."""
    for key, value in tree.items():
        if isinstance(value, dict) and value:
            yield from lines(value, f"{above}{key} ")
        else:
            yield f"{above}{key}" if value == {} else f"{above}{key} {value}"


def said(tree: Tree, indent: int = 4) -> Iterator[str]:
    """The lines of a tree as YAML, keys sorted; keys of digits are texts there."""
    for key, value in sorted(tree.items()):
        name = f"{' ' * indent}{_quoted(key) if key.isdigit() else _text(key)}:"
        if not isinstance(value, dict):
            yield f"{name} {_text(value)}"
        elif value:
            yield name
            yield from said(value, indent + 2)
        else:
            yield f"{name} {{}}"


def _text(text: str) -> str:
    return text if _PLAIN.fullmatch(text) else _quoted(text)


def _quoted(text: str) -> str:
    doubled = text.replace("'", "''")
    return f"'{doubled}'"


def read(text: str) -> Tree:
    """What such a text says, by the words on top of it; ValueError for another one."""
    top: Tree = {}
    above = [(-1, top)]
    for line in text.splitlines():
        words = line.strip().removeprefix("- ")
        if not words or words.startswith("#"):
            continue
        indent = len(line) - len(line.lstrip())
        key, colon, value = (words[:-1], ":", "") if words.endswith(":") else words.partition(": ")
        while above[-1][0] >= indent:
            above.pop()
        if not colon:
            raise ValueError(line)
        below: Tree = {}
        value = _unquoted(value.strip())
        above[-1][1][_unquoted(key)] = value if value not in ("", "{}") else below
        above.append((indent, below))
    return top


def _unquoted(text: str) -> str:
    if text[:1] == text[-1:] == "'":
        return text[1:-1].replace("''", "'")
    return text.strip('"')
