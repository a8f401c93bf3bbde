"""A dialect for the fake switch: one file, one command a phase."""

from __future__ import annotations

import json

from switch_configs.intent import (
    Account,
    ConfigFile,
    Impact,
    OobIntent,
    Own,
    Phase,
    Rendered,
    Step,
    SwitchIntent,
)
from switch_configs.readback.facts import SwitchFacts

PATH = "/etc/toy.conf"


def toy_file(text: str) -> ConfigFile:
    return ConfigFile(PATH, text, "root", "root", "0644", "runtime")


def rendered(device: str, text: str) -> Rendered:
    return Rendered(device, "toy", (toy_file(text),))


class Toy:
    name = "toy"
    platform = "linux"
    releases: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()
    unsaid: frozenset[str] = frozenset()
    hier_platform: str = ""
    reload_s: int = 0
    keeps_drain: bool = False
    drills_by_push: bool = False

    def impact(self, path: str, where: tuple[str, ...]) -> Impact:
        raise NotImplementedError

    def render(self, intent: SwitchIntent | OobIntent) -> Rendered:
        raise NotImplementedError

    def described(self, held: Rendered, words: str) -> Rendered:
        raise NotImplementedError

    def drain_command(self, intent: SwitchIntent, drained: bool) -> str:
        raise NotImplementedError

    def link_command(self, port: str, *, up: bool) -> str:
        raise NotImplementedError

    def silence_command(self, port: str, *, silent: bool) -> str:
        raise NotImplementedError

    def fetch_command(self) -> str:
        return "toy show"

    def state_command(self) -> str:
        raise NotImplementedError

    def shut(self, held: Rendered, port: str) -> Rendered | None:
        raise NotImplementedError

    def running(self, device: str, fetched: str) -> Rendered:
        files = json.loads(fetched)
        return Rendered(device, "toy", tuple(toy_file(text) for text in files.values()))

    def held(self, device: str, fetched: str) -> Rendered:
        return self.running(device, fetched)

    def tidied(self, saved: Rendered, like: Rendered) -> Rendered:
        raise NotImplementedError

    def own(self, saved: Rendered) -> tuple[Own, ...]:
        raise NotImplementedError

    def accounts(self, saved: Rendered) -> tuple[Account, ...]:
        raise NotImplementedError

    def readback(self, rendered: Rendered) -> SwitchFacts:
        """It has no routing, and is never drained."""
        return SwitchFacts(
            rendered.device, None, None, None, (), (), (), (), (), None, False, (), None, (), ()
        )

    def push_steps(self, old: Rendered, new: Rendered, window_s: int) -> tuple[Step, ...]:
        if old.files == new.files:
            return ()
        return (
            Step("send", "stage", "", new.files[0], "", "toy discard", "none", 1),
            step("check", "check"),
            Step("arm", "arm", f"toy arm {window_s}", None, "", "toy undo", "none", 1),
            step("apply", "apply"),
            step("confirm", "confirm"),
            step("save", "save"),
        )

    def pending_command(self) -> str:
        return "toy pending"

    def undo_command(self) -> str:
        return "toy undo"


def step(verb: str, phase: Phase) -> Step:
    impact: Impact = "runtime" if phase == "apply" else "none"
    return Step(verb, phase, f"toy {verb}", None, "", "", impact, 1)
