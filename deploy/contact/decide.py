"""Which host key of a device holds, from what is known, vouched for and heard. Pure.

What vouches, in this order: a certificate of the site's authority, `hostkeys.json` and then a text
with the key, a text with its fingerprint. The network alone vouches only where somebody asks for
that. A key that differs from one that is vouched for is refused and never replaced by itself.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from .certificates import signed
from .keys import HostKey, Said, best

State = Literal["known", "new", "refused", "unknown"]
KNOWN_IN = "hostkeys.json"
NETWORK = "the network, asked once"


@dataclass(frozen=True, slots=True)
class Decided:
    """The key of a device that holds, or would once it is written; None where none does.

    `source` vouches for it. `why` is the reason where nothing holds.
    """

    device: str
    state: State
    key: HostKey | None = None
    source: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a person asked for: whose signatures count, whether the network's word does."""

    authorities: tuple[HostKey, ...] = ()
    network: bool = False
    replace: bool = False


@dataclass(frozen=True, slots=True)
class _Vouched:
    source: str
    key: HostKey


def decide(
    device: str,
    names: Collection[str],
    known: HostKey | None,
    texts: Sequence[tuple[str, Said]],
    heard: Said,
    asked: Asked,
    now_s: float,
) -> Decided:
    """Decide of one device, which answers to `names`; `texts` are (what it is called, content)."""
    certified, faults = _certified(names, texts, heard, asked, now_s)
    listed = [_Vouched(label, key) for label, said in texts for key in said.keys]
    printed = [
        _Vouched(f"its fingerprint in {label}", key)
        for label, said in texts
        for key in heard.keys
        if (key.word, key.fingerprint) in said.prints
    ]
    vouched = [*certified, *listed, *printed]
    held = [_Vouched(KNOWN_IN, known)] if known and not asked.replace else []
    network = [_Vouched(NETWORK, key) for key in heard.keys]
    why = _revoked([*held, *vouched, *network], texts) or _quarrel([*held, *vouched], texts, heard)
    if why:
        return Decided(device, "refused", known, KNOWN_IN if known else "", why)
    if held:
        return Decided(device, "known", known, KNOWN_IN)
    # Who answers with another kind of key than a text has the fingerprint of is nobody's yet.
    believed = asked.network and not any(said.prints for _, said in texts)
    for one in (certified, listed, printed, network if believed else []):
        key = best(each.key for each in one)
        if key is not None:
            source = next(each.source for each in one if each.key == key)
            return Decided(device, "known" if key == known else "new", key, source)
    if known:
        if why := _revoked([_Vouched(KNOWN_IN, known)], texts):
            return Decided(device, "refused", known, KNOWN_IN, why)
        return Decided(device, "known", known, KNOWN_IN)
    return Decided(device, "unknown", why=_nothing(texts, heard, faults))


def _certified(
    names: Collection[str],
    texts: Sequence[tuple[str, Said]],
    heard: Said,
    asked: Asked,
    now_s: float,
) -> tuple[list[_Vouched], list[str]]:
    """Keys by certificates of the authorities, and why certificates do not hold."""
    if not asked.authorities:
        return [], []
    found, faults = list[_Vouched](), list[str]()
    gone = {key for _, said in texts for key in said.revoked}
    by = [one for one in asked.authorities if one not in gone]
    certificates = {one for _, said in (*texts, ("", heard)) for one in said.certificates}
    for one in sorted(certificates):
        key = signed(one, by, names, now_s)
        if isinstance(key, HostKey):
            found.append(_Vouched("a certificate of the authority", key))
        else:
            faults.append(key)
    return found, faults


def _revoked(said: Sequence[_Vouched], texts: Sequence[tuple[str, Said]]) -> str:
    """Where a text takes back a key that something else says; "" where none does."""
    for one in said:
        for label, text in texts:
            if one.key in text.revoked:
                return f"{_told(one)}, which is revoked in {label}"
    return ""


def _quarrel(vouched: Sequence[_Vouched], texts: Sequence[tuple[str, Said]], heard: Said) -> str:
    """Where two say another key of one kind; "" where they do not."""
    first: dict[str, _Vouched] = {}
    for one in vouched:
        other = first.setdefault(one.key.kind, one)
        if other.key != one.key:
            return f"{_told(other)}; {_told(one)}"
    for label, said in texts:
        kinds = {word for word, _ in said.prints}
        for one in first.values():
            if one.key.word in kinds and (one.key.word, one.key.fingerprint) not in said.prints:
                prints = ", ".join(each for word, each in said.prints if word == one.key.word)
                return f"{_told(one)}; {label} has {prints}"
    for key in heard.keys:
        if key.kind in first and first[key.kind].key != key:
            return f"{_told(first[key.kind])}; it answers with {key.fingerprint}"
        if why := _unprinted(key, texts):
            return why
    return ""


def _unprinted(key: HostKey, texts: Sequence[tuple[str, Said]]) -> str:
    """Where a text has fingerprints of this kind of key, and not this one."""
    for label, said in texts:
        prints = [each for word, each in said.prints if word == key.word]
        if prints and key.fingerprint not in prints:
            return f"{label} has {', '.join(prints)}; it answers with {key.fingerprint}"
    return ""


def _told(one: _Vouched) -> str:
    return f"{one.source} has {one.key.fingerprint}"


def _nothing(texts: Sequence[tuple[str, Said]], heard: Said, faults: Sequence[str]) -> str:
    return "; ".join(_reasons(texts, heard, faults)) or "nothing says what its key is"


def _reasons(
    texts: Sequence[tuple[str, Said]], heard: Said, faults: Sequence[str]
) -> Iterator[str]:
    for fault in faults:
        yield f"its certificate does not hold: {fault}"
    if heard.keys:
        prints = ", ".join(one.fingerprint for one in heard.keys)
        yield f"it answers with {prints}, which nothing vouches for"
    elif any(said.prints for _, said in texts):
        yield "its fingerprint is known, and it was not heard"
