"""Bytes of a file as text: encodings, and what terminals leave in it."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

_WIDE = (
    (codecs.BOM_UTF32_LE, ""),
    (codecs.BOM_UTF32_BE, ""),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Lines that say something to people alone.
_FOR_PEOPLE = re.compile(
    rb"""\s*(?:[!#]|description\b|name\b|"?(?:description|alias|location|contact)"?\s*:|alias\b"""
    rb"""|remark\b|banner\b|snmp-server (?:location|contact)\b|\d+ remark\b)"""
)
# No words in Latin-1 have these.
_NO_LATIN = re.compile(rb"[\x80-\x9f]|[\xa0-\xff]{4}")
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_=>])")
_PAGER = re.compile(
    r"(?i)(?:^|(?<=\n)) ?<?-+ ?\(?more[ \d%]*\)? ?-+>?(?: ?\(\d+%\))?(?:[\x08 \r]*[\x08\r])?"
)
# What parts lines for Python and for no switch, and what no terminal prints.
_ODD = re.compile(r"[\x00-\x07\x0b\x0c\x0e-\x1f\x7f\x85\u2028\u2029]")


@dataclass(frozen=True, slots=True)
class Decoded:
    """A text, what people should know of it, and why it may not be what the switch said."""

    text: str
    note: str = ""
    doubt: str = ""


def decoded(data: bytes) -> Decoded | str:
    """The text, or the word why it is none."""
    for mark, name in _WIDE:
        if data.startswith(mark):
            if not name:
                return "UTF-32: save it as UTF-8"
            try:
                return _plain(data[len(mark) :].decode(name), "UTF-16, read as it is marked")
            except UnicodeDecodeError:
                return "cut or damaged UTF-16"
    data = data.removeprefix(codecs.BOM_UTF8)
    if b"\0" in data:
        return "binary data"
    try:
        return _plain(data.decode(), "")
    except UnicodeDecodeError:
        return _latin(data)


def _latin(data: bytes) -> Decoded | str:
    lines = data.split(b"\n")
    wrong = [at for at, line in enumerate(lines) if not _is_utf8(line)]
    if not all(_FOR_PEOPLE.match(lines[at]) and not _NO_LATIN.search(lines[at]) for at in wrong):
        return f"no text in UTF-8 (line {wrong[0] + 1})"
    told = f"line {wrong[0] + 1}" + (f" and {len(wrong) - 1} more" if wrong[1:] else "")
    text = "\n".join(one.decode("latin-1" if not _is_utf8(one) else "utf-8") for one in lines)
    return _plain(text, f"{told}: no UTF-8, read as Latin-1; comments and descriptions only")


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def _plain(text: str, note: str) -> Decoded:
    """Without what a terminal or another system's editor adds; lines keep their numbers."""
    if "\x1b" in text:
        text = _ESCAPES.sub("", text)
    if "ore" in text or "ORE" in text:
        text = _PAGER.sub("", text)
    if "\r" in text:
        text = re.sub(r"\r+\n", "\n", text)
        text = text.replace("\r", "\n") if "\n" not in text else re.sub(r"[^\n]*\r", "", text)
    if "\b" in text:
        text = re.sub("[\b ]*\b", "", text)
    odd = _ODD.search(text)
    if odd is None:
        return Decoded(text, note)
    line = text.count("\n", 0, odd.start()) + 1
    return Decoded(_ODD.sub("\ufffd", text), note, f"line {line} has bytes that no text has")
