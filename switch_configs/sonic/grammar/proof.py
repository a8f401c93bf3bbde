"""The grammar of SONiC's config_db.json: tables, keys, fields, references, and what they need.

Written from SONiC's YANG models and by another hand than the rows that it judges; it runs
without libyang. What YANG does not catch (a broken way from DSCP to pause) is for readback.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from ipaddress import ip_address, ip_interface
from typing import Any

from switch_configs.grammar.json_lines import Located, Path, located
from switch_configs.grammar.tree import GrammarProblem

from .tables import TABLES, Table

# The other files of this system are for programs.
FILE_END = ".json"

_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)")
_BRACKETS = re.compile(r"\[[A-Z_]+\|.+\]")
Problem = tuple[Path, str]
Database = dict[str, dict[str, dict[str, Any]]]


def problems(text: str, release: str = "") -> tuple[GrammarProblem, ...]:
    """All that SONiC would refuse or pass over, by line; never raises.

    The same for all releases: what is not in all of them is not in the grammar.
    """
    del release
    if _is_sound(text):
        return ()
    try:
        read = located(text)
    except (json.JSONDecodeError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else 1
        return (GrammarProblem(line, "", f"no JSON: {error}"),)
    found = list(_problems(read))
    lines = sorted((_line(read, path), "|".join(path), why) for path, why in found)
    return tuple(GrammarProblem(*one) for one in lines)


def _is_sound(text: str) -> bool:
    """Whether nothing is wrong: told without the lines of members, which cost most of the time."""
    try:
        value = json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        return False
    return next(_problems(Located(value)), None) is None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a key is there twice")
    return members


def _line(read: Located, path: Path) -> int:
    while path and path not in read.lines:
        path = path[:-1]
    return read.lines.get(path, 1)


def _problems(read: Located) -> Iterator[Problem]:
    yield from ((path, "said twice") for path in read.twice)
    if not isinstance(read.value, dict):
        yield (), "no object of tables"
        return
    sound: Database = {}
    for name, rows in read.value.items():
        if name not in TABLES:
            yield (name,), "no table that may be put on a switch"
        elif not isinstance(rows, dict) or not rows:
            yield (name,), "no object of rows"
        else:
            sound[name] = {key: row for key, row in rows.items() if isinstance(row, dict)}
            yield from (
                ((name, key), "no object of fields") for key in set(rows) - set(sound[name])
            )
    for name, rows in sound.items():
        yield from _rows(sound, name, rows)
    for rule in RULES:
        yield from rule(sound)


def _rows(db: Database, name: str, rows: dict[str, dict[str, Any]]) -> Iterator[Problem]:
    table = TABLES[name]
    # Most ports say what the port before them said: a row that is sound is judged once.
    sound: deque[dict[str, Any]] = deque(maxlen=8)
    for key, row in rows.items():
        if not any(_is_key(db, form, key) for form in table.keys):
            yield (name, key), f"no key of {table.model}: {' or '.join(table.keys)}"
        if row in sound:
            continue
        found = list(_row(db, name, key, row))
        if not found:
            sound.appendleft(row)
        yield from found


def _row(db: Database, name: str, key: str, row: dict[str, Any]) -> Iterator[Problem]:
    table = TABLES[name]
    for field in table.needs:
        if field not in row:
            yield (name, key), f"needs {field} ({table.model})"
    for field, value in row.items():
        kind = _kind(db, table, field)
        if kind is None:
            yield (name, key, field), f"no field of {table.model}"
        elif why := _refused(db, kind, value):
            yield (name, key, field), why


def _kind(db: Database, table: Table, field: str) -> str | None:
    if table.entries is None:
        return table.fields.get(field)
    return table.entries[1] if not _refused(db, table.entries[0], field) else None


def _is_key(db: Database, form: str, key: str) -> bool:
    """Whether each part of a key is of its kind."""
    words, kinds = key.split("|"), _kinds(form)
    if len(words) != len(kinds):
        return False
    for kind, value in zip(kinds, words, strict=True):
        word, rest = _parts(kind)
        if _unlike(db, word, rest, value):
            return False
    return True


@cache
def _kinds(form: str) -> tuple[str, ...]:
    """The kinds of a form: a `|` begins a new one where a kind's name follows."""
    return tuple(re.split(r"\|(?=(?:ref|re|enum|int|text):|ip$|ip\||prefix)", form))


@cache
def _parts(kind: str) -> tuple[str, str]:
    word, _, rest = kind.partition(":")
    return word, rest


def _refused(db: Database, kind: str, value: Any) -> str:
    """Why a value is none of its kind; empty where it is one."""
    word, rest = _parts(kind)
    if word == "list":
        if not isinstance(value, list) or not value:
            return "a list of texts, and not empty"
        return next((why for one in value if (why := _refused(db, rest, one))), "")
    if not isinstance(value, str):
        return "every value is a text"
    return _unlike(db, word, rest, value)


def _unlike(db: Database, word: str, rest: str, value: str) -> str:
    if word not in _OF_ROWS:
        return _plain(word, rest, value)
    return _bracketed(value) or _OF_ROWS[word](db, rest, value)


@lru_cache(maxsize=1 << 16)
def _plain(word: str, rest: str, value: str) -> str:
    """For kinds that ask no other row; switches of a site say the same values."""
    return _bracketed(value) or _PLAIN[word](rest, value)


def _bracketed(value: str) -> str:
    if value[:1] != "[" or not _BRACKETS.fullmatch(value):
        return ""
    return "a reference is the plain name: brackets are of releases before 202106"


def _ref(db: Database, rest: str, value: str) -> str:
    for table in _tables(rest):
        if value in db.get(table, ()):
            return ""
    return f"no row of {rest.replace(',', ' or ')}: {value}"


@cache
def _tables(rest: str) -> tuple[str, ...]:
    return tuple(rest.split(","))


def _refs(db: Database, rest: str, value: str) -> str:
    return next((why for one in value.split(",") if (why := _ref(db, rest, one))), "")


def _null(db: Database, rest: str, value: str) -> str:
    """`NULL` asks SONiC to find the profile, which only the dynamic model does."""
    if value != "NULL":
        return _ref(db, rest, value)
    model = db.get("DEVICE_METADATA", {}).get("localhost", {}).get("buffer_model")
    return "" if model == "dynamic" else "NULL is for the dynamic buffer model"


def _int(rest: str, value: str) -> str:
    low, _, high = rest.partition("..")
    is_in = _NUMBER.fullmatch(value) and int(low) <= int(value) <= int(high)
    return "" if is_in else f"a number from {low} to {high}"


def _enum(rest: str, value: str) -> str:
    return "" if value in rest.split(",") else f"one of {rest.replace(',', ', ')}"


def _re(rest: str, value: str) -> str:
    return "" if re.fullmatch(rest, value, re.ASCII) else f"must match {rest}"


def _text(rest: str, value: str) -> str:
    low, _, high = rest.partition("..")
    is_fine = int(low) <= len(value) <= int(high) and value.isprintable()
    return "" if is_fine else f"{low} to {high} characters, none of them a control character"


def _ip(_rest: str, value: str) -> str:
    try:
        ip_address(value)
    except ValueError:
        return "an address"
    return ""


def _prefix(_rest: str, value: str) -> str:
    try:
        ip_interface(value)
    except ValueError:
        return "an address with the length of its prefix"
    return "" if "/" in value else "an address with the length of its prefix"


_PLAIN: dict[str, Callable[[str, str], str]] = {
    "int": _int, "enum": _enum, "re": _re, "text": _text, "ip": _ip, "prefix": _prefix,
}  # fmt: skip
_OF_ROWS: dict[str, Callable[[Database, str, str], str]] = {
    "ref": _ref, "refs": _refs, "null": _null,
}  # fmt: skip


# -- what rows need of each other (`must` and `when` in the models) ----------------------------


def _number(row: dict[str, Any], field: str) -> int | None:
    value = row.get(field)
    return int(value) if isinstance(value, str) and _NUMBER.fullmatch(value) else None


def _schedulers(db: Database) -> Iterator[Problem]:
    for key, row in db.get("SCHEDULER", {}).items():
        cir, pir = _number(row, "cir"), _number(row, "pir")
        if pir is not None and not cir:
            yield ("SCHEDULER", key, "pir"), "pir wants cir"
        elif pir is not None and cir is not None and pir < cir:
            yield ("SCHEDULER", key, "pir"), "pir is at least cir"


def _thresholds(db: Database) -> Iterator[Problem]:
    for key, row in db.get("WRED_PROFILE", {}).items():
        for colour in ("green", "yellow", "red"):
            low, high = (_number(row, f"{colour}_{end}_threshold") for end in ("min", "max"))
            if low is not None and high is not None and low > high:
                yield ("WRED_PROFILE", key, f"{colour}_min_threshold"), "more than the maximum"


def _profiles(db: Database) -> Iterator[Problem]:
    for key, row in db.get("BUFFER_PROFILE", {}).items():
        if ("dynamic_th" in row) == ("static_th" in row):
            yield ("BUFFER_PROFILE", key), "one threshold, dynamic_th or static_th"


def _watchdogs(db: Database) -> Iterator[Problem]:
    rows = db.get("PFC_WD", {})
    poll = _number(rows.get("GLOBAL", {}), "POLL_INTERVAL")
    for key, row in rows.items():
        wrong = set(row) & ({"POLL_INTERVAL"} if key != "GLOBAL" else {"action", "detection_time"})
        yield from ((("PFC_WD", key, one), "not in this row") for one in sorted(wrong))
        for field in ("detection_time", "restoration_time"):
            own = _number(row, field)
            if own is not None and poll is not None and own < poll:
                yield ("PFC_WD", key, field), "at least POLL_INTERVAL"


def _heads(db: Database) -> Iterator[Problem]:
    """An address wants the row of its interface."""
    for name in ("INTERFACE", "LOOPBACK_INTERFACE", "VLAN_INTERFACE"):
        rows = db.get(name, {})
        for key in rows:
            if key.partition("|")[0] not in rows:
                yield (name, key), "the row of the interface itself is missing"


def _vlans(db: Database) -> Iterator[Problem]:
    for key, row in db.get("VLAN", {}).items():
        if row.get("vlanid", key[4:]) != key[4:]:
            yield ("VLAN", key, "vlanid"), "the number in the name"
    bonded = {key.partition("|")[2] for key in db.get("PORTCHANNEL_MEMBER", {})}
    routed = set(db.get("INTERFACE", {}))
    untagged: set[str] = set()
    for key, row in db.get("VLAN_MEMBER", {}).items():
        port = key.partition("|")[2]
        if port in bonded:
            yield ("VLAN_MEMBER", key), "the port is in a bond"
        if port in routed:
            yield ("VLAN_MEMBER", key), "the port is routed"
        if row.get("tagging_mode") == "untagged":
            if port in untagged:
                yield ("VLAN_MEMBER", key), "a port has one VLAN without a tag"
            untagged.add(port)
    for port in sorted(bonded & routed):
        yield ("INTERFACE", port), "the port is in a bond"


def _management(db: Database) -> Iterator[Problem]:
    on = db.get("MGMT_VRF_CONFIG", {}).get("vrf_global", {}).get("mgmtVrfEnabled") == "true"
    for name in ("NTP", "SYSLOG_SERVER"):
        for key, row in db.get(name, {}).items():
            if row.get("vrf") == "mgmt" and not on:
                yield (name, key, "vrf"), "the management table is not enabled"


def _logins(db: Database) -> Iterator[Problem]:
    row = db.get("AAA", {}).get("authentication", {})
    keys = [*db.get("TACPLUS", {}).values(), *db.get("TACPLUS_SERVER", {}).values()]
    if "tacacs+" in str(row.get("login")) and not any("passkey" in key for key in keys):
        yield ("AAA", "authentication", "login"), "tacacs+ wants a passkey"


def _pools(db: Database) -> Iterator[Problem]:
    for key, row in db.get("BUFFER_POOL", {}).items():
        if "size" in row and "percentage" in row:
            yield ("BUFFER_POOL", key, "percentage"), "not with size"


def _snmp(db: Database) -> Iterator[Problem]:
    for key, row in db.get("SNMP_USER", {}).items():
        if row.get("SNMP_USER_TYPE") == "Priv" and "SNMP_USER_AUTH_PASSWORD" not in row:
            yield ("SNMP_USER", key), "Priv wants SNMP_USER_AUTH_PASSWORD"


RULES: tuple[Callable[[Database], Iterator[Problem]], ...] = (
    _schedulers, _thresholds, _profiles, _watchdogs, _heads, _vlans, _management, _logins, _pools,
    _snmp,
)  # fmt: skip
