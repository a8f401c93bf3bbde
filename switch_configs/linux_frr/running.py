"""What a device holds, as files that compare byte for byte with rendered ones.

FRR can run something else than its file says. The text of frr.conf here is the file's own
only where FRR runs exactly that; else it is what FRR runs, so that a difference is seen.
"""

from __future__ import annotations

from switch_configs.frr.compare import statements, tidy
from switch_configs.intent import ConfigFile, Rendered
from switch_configs.readback.framed import Held

from .fetch import Fetched, parse
from .files import FRR, impact_of

_NOT_RUNNING = "! FRR does not run.\n"


def running(device: str, dialect: str, fetched: str) -> Rendered:
    """The answer to the fetch command as files, sorted by path; may raise `DialectError`."""
    found = parse(device, fetched)
    held = (*(_file(one, found) for one in found.held), *_without_file(found))
    return Rendered(device, dialect, tuple(sorted(held)))


def _file(held: Held, found: Fetched) -> ConfigFile:
    text = _frr_text(held.text, found.running) if held.path == FRR else held.text
    return ConfigFile(held.path, text, held.owner, held.group, held.mode, impact_of(held.path))


def _without_file(found: Fetched) -> tuple[ConfigFile, ...]:
    """FRR runs something and has no file: that is not nothing."""
    if any(one.path == FRR for one in found.held) or not statements(found.running or ""):
        return ()
    text = tidy(found.running or "")
    return (ConfigFile(FRR, text, "", "", "absent", impact_of(FRR)),)


def _frr_text(file: str, run: str | None) -> str:
    if run is None:
        return _NOT_RUNNING
    return file if statements(run) == statements(file) else tidy(run)
