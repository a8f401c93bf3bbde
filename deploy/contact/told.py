"""How `enroll` and `doctor` answer: a line each, and under it what mends it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from rich.console import Console

from deploy.show.words import many, print_line

from .decide import NETWORK
from .found import Contact, Enrolled, Examined

_STYLES = {"ok": "green", "missing": "yellow", "wrong": "red"}


def enrolled_json(found: Enrolled) -> dict[str, Any]:
    """Every device."""
    return {
        "devices": [
            {
                "device": one.device,
                "kind": one.kind,
                "user": one.user,
                "key": one.key.state,
                "fingerprint": one.key.key.fingerprint if one.key.key else "",
                "source": one.key.source,
                "login": _login(one),
                "installed": one.installed,
                "missing": [asdict(each) for each in one.missing],
            }
            for one in found.contacts
        ],
        "written": str(found.written) if found.written else "",
    }


def enrolled_text(found: Enrolled, out: Console) -> None:
    """A line a device, what it lacks, and what was written or would be."""
    for one in found.contacts:
        print_line(out, (one.device, "bold"), f" {one.kind}: {_key(one)}; {_login(one)}")
        for each in one.missing:
            style = "red" if one.refused else "yellow"
            print_line(out, f"    missing: {each.what}", style=style)
            print_line(out, f"    do: {each.mend}")
    new = [one for one in found.contacts if one.key.state == "new"]
    if any(one.key.source == NETWORK for one in new):
        said = "these keys are what answered on the network now: whoever is on the way may be it"
        print_line(out, said, style="yellow")
    if found.written:
        print_line(out, f"written: {found.written}")
    elif new and not found.write:
        print_line(out, f"{many(len(new), 'host key')} would be written; `--write` does it")
    done = sum(not one.missing for one in found.contacts)
    print_line(out, f"{done} of {many(len(found.contacts), 'device')} known and let in")


def _key(one: Contact) -> str:
    if one.key.key is None:
        return f"host key {one.key.state}"
    key = one.key.key
    return f"host key {one.key.state}, {key.word} {key.fingerprint} by {one.key.source}"


def _login(one: Contact) -> str:
    if one.probe is None:
        return f"login as {one.user} not tried"
    if not one.probe.login:
        return f"no login as {one.user}"
    brought = ", the site's key was brought" if one.installed else ""
    return f"login as {one.user}{'' if one.probe.root else ' without sudo'}{brought}"


def examined_json(found: Examined) -> dict[str, Any]:
    """Every line."""
    return {"checks": [asdict(one) for one in found.checks]}


def examined_text(found: Examined, out: Console) -> None:
    """A line each: ok, missing or wrong, and what mends it."""
    for one in found.checks:
        said = f" {one.name}: {one.said}"
        print_line(out, (f"{one.state:7}", _STYLES[one.state]), said)
        if one.mend:
            print_line(out, f"        do: {one.mend}")
