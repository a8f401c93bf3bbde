"""NVUE of a made-up Cumulus Linux switch, and its program `nv` for a shell that finds it.

It imports nothing of ours. It holds what NVUE holds: revisions with their trees, which is applied,
which is pending, the startup file, and the timer of one that waits to be confirmed. The clock is
the machine's and `later_s`, so that a test need not wait for the timer.

What each reply imitates:
- `apply`, `--confirm TIME` (s, m, h; 10 minutes without), `detach`, `diff`, `patch`, `revision`,
  `save`, `show`: NVIDIA Cumulus Linux 5.14, NVUE CLI, "Configuration Management Commands". Without
  a confirmation "the configuration rolls back automatically".
- saving by itself is on unless `system config auto-save` says otherwise: there, "Auto Save".
- a restart boots the startup file: there, "NVUE Configuration File".
- no set and unset of one object in a patch: there, "Replace and Patch a Pending Configuration".
- QoS of ports whose cages are split by the same apply goes wrong: 5.14, Quality of Service,
  "Configure QoS and Breakout Ports Simultaneously". What NVUE says then is made up.
- `rev_id: N` in what is printed; `Error: Revision N does not exist`: NVIDIA's tests of `nv config`
  in sonic-mgmt, ngts/tests_nvos/general/config_commands.
- states `pending`, `detached`, `confirm`, `confirm_fail`, `applied`, `applied_and_saved`, and
  `nv config apply N --confirm-yes`: napalm's driver for NVUE, `nv config revision` of the NVUE
  reference. `Unknown state: 'pending'` for one that waits for nothing: reports of its users.
- nvued that is down: "NVUE crashing" in networkop/cx ("Error: Could not connect to nvued.").
- secrets of TACACS+ and SNMPv3 are shown as `$nvsec$...`: 5.14, TACACS, and Optional BGP
  Configuration. Here each is encrypted anew, so that none can be compared.
Nobody says what NVUE does with a second apply while one waits: here it refuses.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

Tree = dict[str, Any]
UNITS = {"s": 1, "m": 60, "h": 3600}


def new(startup: Tree) -> Tree:
    """A switch that has booted this."""
    held: Tree = {"revisions": {}, "applied": "", "pending": "", "startup": startup, "until": 0.0,
            "later_s": 0.0, "before": "", "apply_s": 0.0, "down": False, "refuses": [],
            "calls": []}  # fmt: skip
    restart(held)
    return held


class Refused(Exception):
    """What `nv` says on its standard error."""


def merged(tree: Tree, more: Tree) -> Tree:
    """A tree with another one put into it."""
    out = dict(tree)
    for key, value in more.items():
        below = out.get(key)
        if isinstance(value, dict) and isinstance(below, dict):
            out[key] = merged(below, value)
        else:
            out[key] = value
    return out


def encrypted(tree: Tree, above: str = "") -> Tree:
    """A tree whose secrets are as they are shown: values of `secret`, names below SNMPv3's."""
    out: Tree = {}
    for key, value in tree.items():
        name = hidden(key) if above in ("auth-sha", "encrypt-aes") else key
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


def paths(tree: Tree, above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Each leaf's path."""
    for key, value in tree.items():
        if isinstance(value, dict) and value:
            yield from paths(value, (*above, key))
        else:
            yield (*above, key)


def said(tree: Tree, indent: int = 4) -> Iterator[str]:
    """The lines of a tree as YAML, keys sorted; digits are quoted, for they are no numbers here."""
    for key, value in sorted(tree.items()):
        name = f"{' ' * indent}'{key}':" if key.isdigit() else f"{' ' * indent}{key}:"
        if not isinstance(value, dict):
            yield f"{name} '{value}'"
        elif value:
            yield name
            yield from said(value, indent + 2)
        else:
            yield f"{name} {{}}"


def read(lines: list[str]) -> Tree:
    """A patch: its words, each with a tree; ValueError for another file."""
    top: Tree = {}
    above = [(-1, top)]
    for line in lines:
        text = line.strip().removeprefix("- ")
        indent = len(line) - len(line.lstrip())
        key, colon, value = (text[:-1], ":", "") if text.endswith(":") else text.partition(": ")
        while above[-1][0] >= indent:
            above.pop()
        if not colon:
            raise ValueError(line)
        below: Tree = {}
        value = value.strip().strip("'\"")
        above[-1][1][key.strip("'\"")] = value if value not in ("", "{}") else below
        above.append((indent, below))
    if not set(top) <= {"set", "unset"}:
        raise ValueError("neither set nor unset")
    return top


def seconds(words: tuple[str, ...]) -> int:
    """The time behind `--confirm`; ten minutes where none is said."""
    number = words[0].rstrip("smh") if words else ""
    if not number.isdigit():
        return 600
    return int(number) * UNITS[words[0][len(number) :] or "m"]


class Nvue:
    """nvued: what it holds, and what each command makes of it."""

    def __init__(self, held: Tree) -> None:
        self.held = held
        self.revisions: dict[str, Tree] = held["revisions"]
        if held["until"] and self.now() >= held["until"]:
            self.go_back(held["applied"])

    def now(self) -> float:
        return time.time() + float(self.held["later_s"])

    def tree(self, name: str) -> Tree:
        if name == "startup":
            return dict(self.held["startup"])
        if name == "applied":
            name = self.held["applied"]
        if name not in self.revisions:
            raise Refused(f"Error: Revision {name} does not exist")
        return dict(self.revisions[name]["tree"])

    def go_back(self, revision: str) -> None:
        """What the timer does, and `--confirm-no`."""
        self.revisions[revision]["state"] = "confirm_fail"
        self.held.update(applied=self.held["before"], until=0.0)

    def changing(self) -> str:
        """The pending revision's name; made where there is none."""
        if not self.held["pending"]:
            name = str(1 + max(map(int, self.revisions)))
            self.revisions[name] = {"state": "pending", "tree": self.tree("applied")}
            self.held["pending"] = name
        return str(self.held["pending"])

    def patch(self, file: str) -> str:
        try:
            words = read(Path(file).read_text().splitlines())
        except (OSError, ValueError) as error:
            raise Refused(f"Error: {file} is not a valid configuration file") from error
        gone, come = words.get("unset") or {}, words.get("set") or {}
        if {one[:2] for one in paths(gone)} & {one[:2] for one in paths(come)}:
            raise Refused("Error: unset and set of the same object in a single patch")
        tree = merged(without(self.tree(self.changing()), gone), encrypted(come))
        self.revisions[self.held["pending"]]["tree"] = tree
        return f"created [rev_id: {self.held['pending']}]"

    def set(self, *words: str) -> str:
        *above, last = words
        tree: Any = last
        for key in reversed(above):
            tree = {key: tree}
        name = self.changing()
        self.revisions[name]["tree"] = merged(self.revisions[name]["tree"], tree)
        return f"created [rev_id: {name}]"

    def detach(self) -> str:
        name, self.held["pending"] = self.held["pending"], ""
        if not name:
            raise Refused("Error: there is no pending revision")
        self.revisions[name]["state"] = "detached"
        return f"detached [rev_id: {name}]"

    def apply(self, *words: str) -> str:
        for answer in ("yes", "no"):
            if f"--confirm-{answer}" in words:
                return self.answered(answer, [one for one in words if one.isdigit()])
        if self.held["until"]:
            raise Refused("Error: a revision waits to be confirmed")
        name = self.held["pending"]
        if not name:
            return "config apply executed with no config diff."
        old, new = self.tree("applied"), self.tree(name)
        self.require_applicable(old, new)
        auto = new.get("system", {}).get("config", {}).get("auto-save", {})
        self.held["later_s"] += self.held["apply_s"]
        self.held.update(before=self.held["applied"], applied=name, pending="")
        self.revisions[name]["state"] = "applied"
        if auto.get("state") != "disabled" and auto.get("enable") != "off":
            self.save()
        if "--confirm" in words:
            self.held["until"] = self.now() + seconds(words[words.index("--confirm") + 1 :])
            self.revisions[name]["state"] = "confirm"
        return f"applied [rev_id: {name}]"

    def require_applicable(self, old: Tree, new: Tree) -> None:
        split = {
            port
            for port, said_of in new.get("interface", {}).items()
            if "breakout" in said_of.get("link", {})
            and "breakout" not in old.get("interface", {}).get(port, {}).get("link", {})
        }
        for port, said_of in new.get("interface", {}).items():
            if "qos" in said_of and any(port.startswith(f"{cage}s") for cage in split):
                raise Refused(f"Error: {port}: its cage is not split yet")

    def answered(self, answer: str, revisions: list[str]) -> str:
        name = revisions[0] if revisions else self.held["applied"]
        self.tree(name)
        state = self.revisions[name]["state"]
        if state != "confirm":
            raise Refused(f"Unknown state: '{state}'")
        if answer == "no":
            self.go_back(name)
        else:
            self.revisions[name]["state"] = "applied"
            self.held["until"] = 0.0
        return f"applied [rev_id: {name}]"

    def save(self) -> str:
        self.held["startup"] = self.tree("applied")
        self.revisions[self.held["applied"]]["state"] = "applied_and_saved"
        return f"saved [rev_id: {self.held['applied']}]"

    def show(self, *words: str) -> str:
        header = {"model": "VX", "nvue-api-version": "nvue_v1", "rev-id": "1.0",
                  "version": "Cumulus Linux 5.14.0"}  # fmt: skip
        tree = self.tree(words[1] if words[:1] == ("-r",) else "applied")
        return "\n".join(["- header:", *said(header), "- set:", *said(tree)])

    def diff(self, base: str = "applied", target: str = "") -> str:
        old = self.tree(base)
        new = self.tree(target or self.held["pending"] or "applied")
        gone, come = set(paths(old)) - set(paths(new)), new if new != old else {}
        lines = ["- unset:", *(f"    {' '.join(one)}" for one in sorted(gone))] if gone else []
        return "\n".join([*lines, *(["- set:", *said(come)] if come else [])])

    def revision(self, *words: str) -> str:
        if words != ("-o", "json"):
            raise Refused("Error: only as JSON here")
        return json.dumps({name: {"state": one["state"]} for name, one in self.revisions.items()})


def restart(held: Tree) -> None:
    """The switch boots: what is applied is the startup file, and nothing waits any more."""
    if held["until"]:
        held["revisions"][held["applied"]]["state"] = "confirm_fail"
    name = str(1 + max(map(int, held["revisions"]), default=0))
    held["revisions"][name] = {"state": "applied_and_saved", "tree": held["startup"]}
    held.update(applied=name, pending="", until=0.0)


# `nv` itself: it hands its words to nvued, as the real one does over a socket. What the switch is
# doing, and `nv show` prints, lies beside it in files that are called as the command.
PROGRAM = """#!/bin/sh
[ "$1" != show ] || exec cat "{folder}/../told/nv $*"
echo "$*" > '{folder}/asked'
{{ read status; if [ "$status" = 0 ]; then cat; else cat >&2; fi; }} < '{folder}/told'
exit "$status"
"""


class Daemon:
    """nvued, asked by the program `nv` that it puts into `folder`. Use it with `with`."""

    def __init__(self, folder: Path, held: Tree) -> None:
        self.folder, self.held = folder, held
        self.thread = threading.Thread(target=self.serve, daemon=True)

    def __enter__(self) -> Daemon:
        for name in ("asked", "told"):
            os.mkfifo(self.folder / name)
        (self.folder / "nv").write_text(PROGRAM.format(folder=self.folder))
        (self.folder / "nv").chmod(0o755)
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        (self.folder / "asked").write_text("stop\n")
        self.thread.join()

    def serve(self) -> None:
        while (line := (self.folder / "asked").read_text().strip()) != "stop":
            status, told = self.answer(line)
            (self.folder / "told").write_text(f"{status}\n{told}\n" if told else f"{status}\n")

    def answer(self, line: str) -> tuple[int, str]:
        self.held["calls"].append(line)
        if self.held["down"]:
            return 1, "Error: Could not connect to nvued."
        if any(line.startswith(one) for one in self.held["refuses"]):
            return 1, "Error: internal error"
        word, *words = line.split()
        try:
            nvue = Nvue(self.held)
            return 0, nvue.set(*words) if word == "set" else getattr(nvue, words[0])(*words[1:])
        except Refused as error:
            return 1, str(error)
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            return 2, f"Error: Invalid Command ({error!r})"
