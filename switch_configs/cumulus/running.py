"""What a switch holds, in the form in which `render` writes it."""

from __future__ import annotations

from dataclasses import replace

from switch_configs.errors import DialectError
from switch_configs.intent import ConfigFile, Rendered
from switch_configs.shown.secrets import HELD

from . import files
from .change import ENCRYPTED
from .fetch import parse
from .kept import without_kept
from .parse import configuration
from .render import startup_text
from .tree import Tree
from .wording import alike, mixed

_VERSION = "Cumulus Linux "


# NVUE's API gives a choice of words here, and so keeps the digits as text (OpenAPI 5.13 to 5.15).
_CHOICES = ("lanes-per-port",)


def running(device: str, dialect: str, fetched: str) -> Rendered:
    """The files of a switch, and one more where a restart would forget what runs.

    `DialectError` when the answer is cut short, or while a change of somebody else waits.
    """
    parts = parse(device, fetched)
    if waits := parts.get("waits", "").strip():
        raise DialectError(
            f"{device}: a change that is not railbed's waits to be confirmed (revision {waits})",
            "whoever applied it confirms it or takes it back; else its timer does",
        )
    try:
        header, tree = configuration(parts["nvue"])
    except DialectError as error:
        raise DialectError(f"{device}: NVUE's configuration: {error.message}") from None
    release = header.get("version", "").removeprefix(_VERSION)
    text = startup_text(device, release, numbered(_hidden(without_kept(tree))))
    rules = parts.get("rules", "")
    held = [*([files.isolation(rules)] if rules else []), files.startup(text)]
    if parts.get("unsaved", "").strip():
        held.append(ConfigFile(files.UNSAVED, "not saved\n", "", "", "", "none"))
    return Rendered(device, dialect, tuple(held))


def _hidden(tree: Tree) -> Tree:
    """The same tree, `HELD` for each name or value that NVUE encrypted."""
    return {
        _shown(key): _hidden(value) if isinstance(value, dict) else _shown(value)
        for key, value in tree.items()
    }


def _shown(text: str) -> str:
    return HELD if text.startswith(ENCRYPTED) else text


def held(device: str, dialect: str, fetched: str) -> Rendered:
    """The same answer with all that NVUE holds, as it says it."""
    return Rendered(device, dialect, (files.startup(parse(device, fetched)["nvue"]),))


def numbered(tree: Tree) -> Tree:
    """The same tree, its whole numbers as numbers: so they are printed as ours."""
    out: Tree = {}
    for key, value in tree.items():
        if isinstance(value, dict):
            out[key] = numbered(value)
        else:
            whole = value.isdigit() and str(int(value)) == value and key not in _CHOICES
            out[key] = int(value) if whole else value
    return out


def tidied(saved: Rendered, like: Rendered) -> Rendered:
    """A saved startup.yaml or `nv config show`, printed as ours; what is no tree stays.

    What `like` says in words of another release stands in its words, and under its name.
    """
    wanted = {file.path: file.text for file in like.files}
    out = []
    for one in saved.files:
        try:
            header, tree = configuration(one.text)
            said, ours = configuration(wanted.get(one.path, one.text))
        except DialectError:
            out.append(one)
            continue
        release, name = (of.get("version", "").removeprefix(_VERSION) for of in (header, said))
        tree = without_kept(tree)
        if not mixed(tree, release):
            tree, release = alike(tree, ours), name
        out.append(replace(one, text=startup_text(saved.device, release, numbered(tree))))
    return replace(saved, files=tuple(out))
