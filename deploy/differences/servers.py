"""What differs on servers, thing by thing: attributes as wanted and found, files by their lines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING

from inventory.plan import Plan
from switch_configs.shown.foreign import Showing
from validation.evidence.gather import Transport
from validation.manifest.device import Manifests, manifests
from validation.manifest.differences import Drift, Unknown
from validation.manifest.owned import Manifest

from . import effects
from .detail import Detail
from .file_lines import lines, texts
from .inventory import Causes

if TYPE_CHECKING:  # it takes details from here
    from deploy.servers.drift import DeviceDrift

# It repeats the role's other files, so its lines would say all of them twice.
_REPEATS = ".applied"


def of_servers(
    plan: Plan,
    transport: Transport,
    devices: Iterable[DeviceDrift],
    causes: Causes,
    showing: Showing,
) -> dict[str, tuple[Detail, ...]]:
    """The details of each server that drifted; one more trip to those where a text differs."""
    drifted = [drift for drift in devices if drift.found.drifts]
    wanted = {drift.device: _texts_of(drift.found.drifts) for drift in drifted}
    held = texts(plan, transport, wanted)
    before = causes.plan if drifted else None
    earlier = Manifests(before) if before else None
    return {
        one.device: tuple(
            _detail(drift, manifests(plan), earlier, held, causes, showing)
            for drift in one.found.drifts
        )
        for one in drifted
    }


def of_drift(drift: Drift) -> Detail:
    """One thing as wanted and found, with its impact: what one trip knows of it."""
    impact, reason = effects.of_drift(drift)
    place, what = f"role {drift.role}", f"{drift.kind} {drift.what}"
    return Detail(place, what, impact, reason, drift.wanted, drift.found)


def of_unknown(one: Unknown) -> Detail:
    """A thing that could not be read: its role runs."""
    what = f"{one.kind} {one.what}".strip()
    why = "its role runs, since nobody knows whether it differs"
    return Detail(f"role {one.role}", what, "runtime", why, "as planned", f"not known: {one.why}")


def _texts_of(drifts: Sequence[Drift]) -> list[str]:
    return [
        drift.what
        for drift in drifts
        if drift.kind == "file"
        and drift.wanted.startswith("content ")
        and not drift.what.endswith(_REPEATS)
    ]


def _detail(
    drift: Drift,
    mine: Manifests,
    earlier: Manifests | None,
    held: Mapping[tuple[str, str], bytes],
    causes: Causes,
    showing: Showing,
) -> Detail:
    device, path = drift.device, drift.what
    shown: tuple[str, ...] = ()
    is_text = drift.kind == "file" and drift.wanted.startswith("content ")
    old = earlier.text(device, path) if earlier and drift.kind == "file" else None
    found = held.get((device, path)) if is_text else None
    if is_text and found is not None:
        new = mine.text(device, path) or b""
        shown = _lines(found, new, showing, old or b"")
    gone = [line for line in shown if line.startswith("- ")] or [drift.found]
    come = [line for line in shown if line.startswith("+ ")] or [drift.wanted]
    told = of_drift(drift)
    cause = "" if drift.kind == "stray" else causes.of(gone, come, _is_earlier(drift, earlier, old))
    if is_text and path.endswith(_REPEATS):
        told = replace(told, wanted="what the role's files say", found="something else")
    if not shown:
        return replace(told, cause=cause)
    reason = effects.of_drift(drift, shown).reason
    return replace(told, reason=reason, wanted="", found="", lines=shown, cause=cause)


def _lines(found: bytes, wanted: bytes, showing: Showing, earlier: bytes) -> tuple[str, ...]:
    """The lines that differ; none of what is no text."""
    try:
        return lines(found.decode(), wanted.decode(), showing, earlier.decode())
    except UnicodeDecodeError:
        return ()


def _is_earlier(drift: Drift, earlier: Manifests | None, text: bytes | None) -> bool | None:
    """Whether what was found is what the earlier plan wants; None where that is not known."""
    if earlier is None:
        return None
    if drift.kind == "file" and drift.wanted.startswith("content "):
        return text is not None and drift.found == f"content {sha256(text).hexdigest()[:12]}"
    if drift.kind == "file" and drift.wanted == "a regular file":
        return text is None and drift.found == "none"
    known = _attributes(earlier.of(drift.device)).get((drift.kind, drift.what))
    return None if known is None else known == drift.found


def _attributes(manifest: Manifest) -> dict[tuple[str, str], str]:
    """Values of things that have one."""
    sysctls = {("sysctl", sysctl.name): sysctl.value for sysctl in manifest.sysctls}
    options = {("sshd option", option.name): option.value for option in manifest.options}
    return (
        sysctls
        | options
        | {("package", package.name): package.version for package in manifest.packages}
    )
