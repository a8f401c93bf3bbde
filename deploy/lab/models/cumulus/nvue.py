"""NVUE of a Cumulus Linux switch: revisions with their trees, which is applied, which waits.

It imports nothing of ours. Who holds it says what happens when a tree is applied, and what time it
is: `later_s` is ahead of the machine's clock, so that a test need not wait for the timer.

What each reply imitates:
- `apply`, `--confirm TIME` (s, m, h; 10 minutes without), `detach`, `diff`, `patch`, `revision`,
  `save`, `show`: NVIDIA Cumulus Linux 5.14, NVUE CLI, "Configuration Management Commands". Without
  a confirmation "the configuration rolls back automatically".
- `apply startup`: there, "Upgrading Cumulus Linux".
- saving by itself is on unless `system config auto-save` says otherwise: there, "Auto Save".
- a restart boots the startup file: there, "NVUE Configuration File".
- no set and unset of one object in a patch: there, "Replace and Patch a Pending Configuration".
- QoS of ports whose cages are split by the same apply goes wrong: 5.14, Quality of Service,
  "Configure QoS and Breakout Ports Simultaneously". What NVUE says then is made up.
- `Invalid config [rev_id: N]` and `Config invalid at PLACE: WHY` of `apply`: NVIDIA's knowledge
  base, "Breakout Configuration Invalid After Upgrade", and its guide to the NVUE API (BGP without a
  router id). What is no word of NVUE's (`words.py`) is refused there, and by `nv set` at once; the
  reasons are those of jsonschema, and what `nv set` says is made up.
- `rev_id: N` in what is printed; `Error: Revision N does not exist`: NVIDIA's tests of `nv config`
  in sonic-mgmt, ngts/tests_nvos/general/config_commands.
- states `pending`, `detached`, `confirm`, `confirm_fail`, `applied`, `applied_and_saved`, and
  `nv config apply N --confirm-yes`: napalm's driver for NVUE, `nv config revision` of the NVUE
  reference. `Unknown state: 'pending'` for one that waits for nothing: reports of its users.
- nvued that is down: "NVUE crashing" in networkop/cx ("Error: Could not connect to nvued.").
- `says_well`: an apply that is refused and ends with status 0 all the same (netlab, pull request
  1726, "Fail in case of errors"). That what was refused stays pending is made up.
Nobody says what NVUE does with a second apply while one waits: here it refuses. It never asks
whether one is sure, as the real one does without `-y` where a change is a hard one.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..trees import Tree, merged
from .tree import Refused, differing, encrypted, paths, read, said, without
from .words import is_object, refusal

_UNITS = {"s": 1, "m": 60, "h": 3600}
HEADER = {"model": "VX", "nvue-api-version": "nvue_v1", "rev-id": "1.0",
          "version": "Cumulus Linux 5.14.0"}  # fmt: skip
Does = Callable[[Tree], None]


def _nothing(_: Tree) -> None:
    pass


def new(startup: Tree) -> Tree:
    """A switch that has booted this."""
    held: Tree = {"revisions": {}, "applied": "", "pending": "", "startup": startup, "until": 0.0,
            "later_s": 0.0, "before": "", "apply_s": 0.0, "down": False, "refuses": [],
            "says_well": False, "calls": []}  # fmt: skip
    restart(held)
    return held


def restart(held: Tree, *, loads: bool = True) -> None:
    """The switch boots: what is applied is the startup file, and nothing waits any more.

    Where nothing loads that file, what was applied last is what its programs still have.
    """
    if held["until"]:
        held["revisions"][held["applied"]]["state"] = "confirm_fail"
    name = str(1 + max(map(int, held["revisions"]), default=0))
    tree = held["startup"] if loads else held["revisions"][held["applied"]]["tree"]
    held["revisions"][name] = {"state": "applied_and_saved", "tree": tree}
    held.update(applied=name, pending="", until=0.0)


def told(tree: Tree) -> str:
    """A tree as `nv config show` prints it, and as the startup file holds it."""
    return "\n".join(["- header:", *said(HEADER), "- set:", *said(tree)])


def _seconds(words: list[str]) -> int:
    """The time behind `--confirm`; ten minutes where none is said."""
    number = words[0].rstrip("smh") if words else ""
    if not number.isdigit():
        return 600
    return int(number) * _UNITS[words[0][len(number) :] or "m"]


class Nvue:
    """nvued: what it holds, and what each command makes of it. `does` makes a tree work."""

    def __init__(self, held: Tree, does: Does = _nothing) -> None:
        self.held, self.does = held, does
        self.revisions: dict[str, Tree] = held["revisions"]
        if held["until"] and self.now() >= held["until"]:
            self.go_back(held["applied"])

    def now(self) -> float:
        """The time by its clock."""
        return time.time() + float(self.held["later_s"])

    def tree(self, name: str) -> Tree:
        """A revision's, by its number or by what it is."""
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
        self.does(self.tree("applied"))

    def changing(self) -> str:
        """The pending revision's name; made where there is none."""
        if not self.held["pending"]:
            self.held["pending"] = self.made(self.tree("applied"))
        return str(self.held["pending"])

    def made(self, tree: Tree) -> str:
        """A new revision's name."""
        name = str(1 + max(map(int, self.revisions)))
        self.revisions[name] = {"state": "pending", "tree": tree}
        return name

    def patch(self, file: str) -> str:
        """`nv config patch FILE`."""
        try:
            asked = read(Path(file).read_text())
        except (OSError, ValueError):
            asked = {"": ""}
        if not set(asked) <= {"set", "unset"}:
            raise Refused(f"Error: {file} is not a valid configuration file")
        gone, come = asked.get("unset") or {}, asked.get("set") or {}
        if {one[:2] for one in paths(gone)} & {one[:2] for one in paths(come)}:
            raise Refused("Error: unset and set of the same object in a single patch")
        name = self.changing()
        self.revisions[name]["tree"] = merged(without(self.tree(name), gone), encrypted(come))
        return f"created [rev_id: {name}]"

    def set(self, *words: str) -> str:
        """`nv set`: one leaf."""
        if why := refusal(" ".join(words)):
            raise Refused(f"Error: Invalid Command: {why}")
        *above, last = words
        tree: Any = {last: {}} if is_object(words) else last
        for key in reversed(above):
            tree = {key: tree}
        name = self.changing()
        self.revisions[name]["tree"] = merged(self.revisions[name]["tree"], encrypted(tree))
        return f"created [rev_id: {name}]"

    def unset(self, *words: str) -> str:
        """`nv unset`: an object and all below it."""
        gone: Tree = {}
        for key in reversed(words):
            gone = {key: gone}
        name = self.changing()
        self.revisions[name]["tree"] = without(self.revisions[name]["tree"], gone)
        return f"created [rev_id: {name}]"

    def detach(self) -> str:
        """`nv config detach`."""
        name, self.held["pending"] = self.held["pending"], ""
        if not name:
            raise Refused("Error: there is no pending revision")
        self.revisions[name]["state"] = "detached"
        return f"detached [rev_id: {name}]"

    def apply(self, *words: str) -> str:
        """`nv config apply`, of what is pending or of a revision, and the answers to a timer."""
        named = [one for one in words[:1] if not one.startswith("-")]
        for answer in ("yes", "no"):
            if f"--confirm-{answer}" in words:
                return self.answered(answer, named)
        if self.held["until"]:
            raise Refused("Error: a revision waits to be confirmed")
        name = self.made(self.tree(named[0])) if named else self.held["pending"]
        if not name:
            return "config apply executed with no config diff."
        old, new = self.tree("applied"), self.tree(name)
        if why := self.invalid(old, new):
            raise Refused(f"Invalid config [rev_id: {name}]\n  Config invalid at {why}")
        auto = new.get("system", {}).get("config", {}).get("auto-save", {})
        self.held["later_s"] += self.held["apply_s"]
        self.held.update(before=self.held["applied"], applied=name)
        self.held["pending"] = "" if not named else self.held["pending"]
        self.revisions[name]["state"] = "applied"
        self.does(new)
        if auto.get("state") != "disabled":
            self.save()
        if "--confirm" in words:
            wait_s = _seconds(list(words[words.index("--confirm") + 1 :]))
            self.held["until"] = self.now() + wait_s
            self.revisions[name]["state"] = "confirm"
        return f"applied [rev_id: {name}]"

    def invalid(self, old: Tree, new: Tree) -> str:
        """Where a configuration cannot be applied, and why; "" for one that can."""
        if why := refusal(new):
            return why
        bgp = new.get("router", {}).get("bgp", {})
        one = new.get("vrf", {}).get("default", {}).get("router", {}).get("bgp", {})
        if bgp.get("enable") == "on" and "router-id" not in {**bgp, **one}:
            return "router.bgp.enable: BGP requires router-id to be set globally or in the VRF."
        ports, were = new.get("interface", {}), old.get("interface", {})
        split = {
            port
            for port, said_of in ports.items()
            if "breakout" in said_of.get("link", {})
            and "breakout" not in were.get(port, {}).get("link", {})
        }
        for port, said_of in ports.items():
            if "qos" in said_of and re.sub(r"s\d+$", "", port) in split:
                return f"interface.{port}.qos: its cage is not split yet"
        return ""

    def answered(self, answer: str, revisions: list[str]) -> str:
        """`--confirm-yes` and `--confirm-no`."""
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
        """`nv config save`."""
        self.held["startup"] = self.tree("applied")
        self.revisions[self.held["applied"]]["state"] = "applied_and_saved"
        return f"saved [rev_id: {self.held['applied']}]"

    def show(self, *words: str) -> str:
        """`nv config show`, of what is applied or of a revision."""
        return told(self.tree(words[1] if words[:1] == ("-r",) else "applied"))

    def diff(self, base: str = "applied", target: str = "") -> str:
        """`nv config diff`."""
        old, new = self.tree(base), self.tree(target or self.held["pending"] or "applied")
        parts = {"unset": differing(old, new, goes=True), "set": differing(new, old)}
        lines = ([f"- {word}:", *said(tree)] for word, tree in parts.items() if tree)
        return "\n".join(line for part in lines for line in part)

    def revision(self, *words: str) -> str:
        """`nv config revision -o json`."""
        if words != ("-o", "json"):
            raise Refused("Error: only as JSON here")
        return json.dumps({name: {"state": one["state"]} for name, one in self.revisions.items()})


_CONFIG = ("apply", "detach", "diff", "patch", "revision", "save", "show")


def answer(held: Tree, words: list[str], does: Does = _nothing) -> tuple[int, str]:
    """What `nv` says to these words, and the status that it ends with."""
    line = " ".join(words)
    held["calls"].append(line)
    if held["down"]:
        return 1, "Error: Could not connect to nvued."
    if any(line.startswith(one) for one in held["refuses"]):
        return 1, "Error: internal error"
    try:
        nvue = Nvue(held, does)
        if words[0] in ("set", "unset"):
            return 0, str(getattr(nvue, words[0])(*words[1:]))
        if words[0] == "config" and words[1] in _CONFIG:
            return 0, str(getattr(nvue, words[1])(*words[2:]))
    except Refused as error:
        is_well = held["says_well"] and str(error).startswith("Invalid config")
        return 0 if is_well else 1, str(error)
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        return 2, f"Error: Invalid Command ({error!r})"
    return 2, "Error: Invalid Command"
