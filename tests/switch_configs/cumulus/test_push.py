"""What a push sends to NVUE: the difference and nothing else, with its way back and its impact."""

from __future__ import annotations

import copy
import json
import os
import re
import subprocess
from base64 import b64encode
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from switch_configs import DialectError, dialect
from switch_configs.changes import changes
from switch_configs.cumulus.files import TRIED_RULES, startup
from switch_configs.cumulus.parse import configuration
from switch_configs.cumulus.push import PENDING_COMMAND, UNDO_COMMAND
from switch_configs.cumulus.render import startup_text
from switch_configs.cumulus.waiting import WAITING
from switch_configs.diff import diff
from switch_configs.intent import Rendered, Step, SwitchIntent
from tests.switch_configs.cumulus.test_cumulus import ISOLATION, STARTUP, oob, text
from tests.switch_configs.intents import base
from tests.switch_configs.shells import Shown
from tests.switch_configs.shells import answer as shell_answer

TONGUE = dialect("cumulus")
LEAF = "leaf-p1-r0"
Tree = dict[str, Any]
# What a switch has that is not ours, as NVIDIA's guide shows it (5.14, BGP, Configuration Example).
FACTORY = """
      aaa:
        user:
          cumulus:
            full-name: cumulus,,,
            role: system-admin
      api:
        state: enabled
      control-plane:
        acl:
          acl-default-dos:
            inbound: {}
"""


def answer(rendered: Rendered, said: str | None = None) -> str:
    """What the fetch command prints on a switch that holds this."""
    held = text(rendered) if said is None else said
    parts = ["railbed-begin", *part("nvue", held)]
    for one in rendered.files:
        if one.path == ISOLATION:
            parts += part("rules", one.text)
    return "\n".join((*parts, "railbed-end")) + "\n"


def part(name: str, content: str) -> list[str]:
    data = content.encode()
    return [f"{name} 0 {len(data)}", b64encode(data).decode()]


def leaf(**values: object) -> SwitchIntent:
    made = base("cumulus", LEAF)
    return replace(made, switch=replace(made.switch, **values))  # type: ignore[arg-type]


def held(rendered: Rendered) -> Tree:
    return configuration(text(rendered))[1]


def after(steps: tuple[Step, ...], tree: Tree) -> Tree:
    """What NVUE holds when the files of these steps were patched in, in their order."""
    out = copy.deepcopy(tree)
    files = {one.file.path: one.file.text for one in steps if one.file}
    patched = [one.command.split()[3] for one in steps if "nv config patch" in one.command]
    for path in patched:
        ((word, patch),) = yaml.load(files[path], Loader=yaml.BaseLoader)[0].items()  # noqa: S506
        (_unset if word == "unset" else _set)(out, patch)
    return out


def holding(rendered: Rendered, tree: Tree) -> Rendered:
    """The same switch with another tree."""
    return replace(rendered, files=(startup(startup_text(LEAF, "5.14.0", tree)),))


def _unset(tree: Tree, patch: Tree) -> None:
    for key, below in patch.items():
        if below == "":
            del tree[key]
        else:
            _unset(tree[key], below)
            if not tree[key]:
                del tree[key]


def _set(tree: Tree, patch: Tree) -> None:
    for key, below in patch.items():
        if isinstance(below, dict):
            _set(tree.setdefault(key, {}), below)
        else:
            tree[key] = below


def test_what_runs_as_rendered_needs_nothing():
    for made in (base("cumulus", LEAF), base("cumulus", "storage-leaf-b1-1"), oob()):
        rendered = TONGUE.render(made)
        found = TONGUE.running(made.switch.name, answer(rendered))
        assert found == rendered
        assert not diff(found, rendered)
        assert TONGUE.push_steps(found, rendered, 120) == ()


def test_a_header_without_its_dash_is_read():
    rendered = TONGUE.render(base("cumulus", LEAF))
    said = text(rendered).partition("\n- ")[2]
    assert said.startswith("header:")
    assert TONGUE.running(LEAF, answer(rendered, said)) == rendered


def test_what_the_switch_came_with_is_not_ours():
    rendered = TONGUE.render(base("cumulus", LEAF))
    said = (
        text(rendered)
        .replace("    system:\n      aaa:\n", f"    system:{FACTORY.rstrip()}\n")
        .replace("            inbound: {}\n        tacacs:", "            inbound: {}\n")
    )
    tree = yaml.safe_load(text(rendered))
    merged = yaml.safe_load(f"    system:{FACTORY}")["system"]
    system = tree[1]["set"]["system"]
    system["aaa"] |= merged.pop("aaa")
    system |= merged
    said = yaml.dump(tree).replace("true", "on")
    found = TONGUE.running(LEAF, answer(rendered, said))
    assert found == rendered
    empty = Rendered(LEAF, "cumulus", ())
    sent = "".join(one.file.text for one in TONGUE.push_steps(empty, rendered, 60) if one.file)
    assert "cumulus" not in sent


@pytest.mark.parametrize(
    ("old", "new", "impact"),
    [
        ({}, {"hash_seed": 77}, "reload"),
        ({}, {"asn": 4_200_010_999}, "daemon restart"),
        ({}, {"maximum_prefix": 777}, "daemon restart"),
        ({}, {"ecmp_width": 7}, "runtime"),
        ({}, {"ports": ()}, "link flap"),
        ({"ports": ()}, {}, "link flap"),
        ({}, {"sessions": ()}, "daemon restart"),
    ],
)
def test_a_push_makes_one_of_the_other(old, new, impact):
    if old.get("ports") == () or new.get("ports") == ():
        bare = {"ports": (), "sessions": ()}
        old, new = (bare, new) if "ports" in old else (old, bare)
    before, wanted = TONGUE.render(leaf(**old)), TONGUE.render(leaf(**new))
    steps = TONGUE.push_steps(before, wanted, 90)
    between = after(steps, held(before))
    if any(one.phase == "rest" for one in steps):
        between = after(TONGUE.push_steps(holding(before, between), wanted, 90), between)
    assert between == held(wanted)
    apply = next(one for one in steps if one.name == "apply")
    assert apply.impact == impact
    assert apply.command.startswith("nv config apply -y --confirm 90s || ")
    assert apply.undo == TONGUE.undo_command()


def test_a_description_harms_nothing():
    made = leaf()
    ports = tuple(replace(one, description="other") for one in made.switch.ports)
    steps = TONGUE.push_steps(TONGUE.render(made), TONGUE.render(leaf(ports=ports)), 60)
    assert {one.impact for one in steps} == {"none"}


def test_phases_are_in_order_and_startup_is_saved_last():
    order = ("stage", "check", "checkpoint", "arm", "apply", "confirm", "save")
    steps = TONGUE.push_steps(TONGUE.render(leaf()), TONGUE.render(leaf(ecmp_width=7)), 60)
    at = [order.index(one.phase) for one in steps]
    assert at == sorted(at)
    assert [one.command for one in steps if "nv config save" in one.command]
    assert steps[-1].command == "nv config save"


def test_a_switch_that_saves_by_itself_is_stopped_first():
    before = TONGUE.render(leaf())
    said = text(before).replace("        auto-save:\n          state: disabled\n", "        x: y\n")
    found = replace(before, files=(replace(before.files[0], text=said),))
    steps = TONGUE.push_steps(found, before, 60)
    names = [one.name for one in steps]
    assert names.index("do not save by itself") < names.index("apply")


def test_cages_are_split_before_their_ports_get_qos():
    made = base("cumulus", LEAF)
    before, wanted = TONGUE.render(leaf(ports=(), sessions=())), TONGUE.render(made)
    steps = TONGUE.push_steps(before, wanted, 60)
    # A push of its own, under the same timer; what its ports carry is left for a second one.
    (sent,) = (one.file for one in steps if one.file)
    assert (sent.path, "breakout" in sent.text) == ("/var/lib/railbed/breakouts.yaml", True)
    (apply,) = (one for one in steps if one.phase == "apply")
    assert apply.command.startswith("nv config apply -y --confirm 60s || ")
    assert apply.impact == "link flap"
    assert [one.phase for one in steps][-3:] == ["confirm", "save", "rest"]
    split = holding(before, after(steps, held(before)))
    second = TONGUE.push_steps(split, wanted, 60)
    assert {one.file.path for one in second if one.file} == {"/var/lib/railbed/set.yaml"}
    assert "breakout" not in "".join(one.file.text for one in second if one.file)
    assert second[-1].phase == "save"


def test_cages_alone_are_one_push():
    tree: Tree = {"interface": {"swp1": {"link": {"breakout": {"4x": {}}}}}}
    before, wanted = (TONGUE.render(leaf(ports=(), sessions=())) for _ in range(2))
    steps = TONGUE.push_steps(before, holding(wanted, _merged(held(wanted), tree)), 60)
    assert [one.phase for one in steps][-1] == "save"


def _merged(tree: Tree, more: Tree) -> Tree:
    out = copy.deepcopy(tree)
    _set(out, more)
    return out


@pytest.mark.parametrize(
    "state", ["confirm", "apply", "confirm_yes", "confirm_fail", "applied", "pending", "detached"]
)
def test_what_waits_is_what_nvue_says_of_its_revisions(tmp_path, state):
    told = json.dumps({"1": {"state": "applied_and_saved"}, "7": {"state": state}})
    shown = Shown({("nv", "config revision -o json"): told})
    waits = state in ("confirm", "apply", "confirm_yes")
    assert shell_answer(f"echo $({WAITING})", shown, tmp_path) == ("7\n" if waits else "\n")
    # Nothing of ours says so, and so it is not taken back.
    assert shell_answer(PENDING_COMMAND, shown, tmp_path) == ""


@pytest.mark.parametrize("told", ["", "Error: Could not connect to nvued.", "[]", '{"1": 2}'])
def test_an_nvue_that_does_not_answer_is_not_taken_for_one_that_waits_for_nothing(tmp_path, told):
    shown = Shown({("nv", "config revision -o json"): told})
    said = shell_answer(f"{PENDING_COMMAND}; echo went on", shown, tmp_path)
    assert said == ""


def test_a_change_of_somebody_else_that_waits_ends_the_push():
    rendered = TONGUE.render(leaf())
    waits = "\n".join((*part("waits", "7\n"), "railbed-end"))
    said = answer(rendered).replace("railbed-end", waits)
    with pytest.raises(DialectError, match=r"not railbed's waits to be confirmed \(revision 7\)"):
        TONGUE.running(LEAF, said)
    nothing = answer(rendered).replace(
        "railbed-end", "\n".join((*part("waits", "\n"), *part("unsaved", "\n"), "railbed-end"))
    )
    assert TONGUE.running(LEAF, nothing) == rendered


def test_what_a_restart_would_forget_is_saved():
    rendered = TONGUE.render(leaf())
    more = "\n".join((*part("unsaved", "- set:\n    x: y\n"), "railbed-end"))
    found = TONGUE.running(LEAF, answer(rendered).replace("railbed-end", more))
    assert diff(found, rendered)
    assert [one.command for one in TONGUE.push_steps(found, rendered, 60)] == ["nv config save"]
    steps = TONGUE.push_steps(found, TONGUE.render(leaf(ecmp_width=7)), 60)
    names = [one.name for one in steps if one.command == "nv config save"]
    assert names == ["save what is", "save"]


def test_an_encrypted_secret_is_no_difference():
    rendered = TONGUE.render(leaf())
    said = text(rendered)
    for name in ("tacacs_key", "snmp_auth", "snmp_priv"):
        said = said.replace(f"<<secret:{name}>>", f"$nvsec$0123{name}")
    found = TONGUE.running(LEAF, answer(rendered, said))
    assert TONGUE.push_steps(found, rendered, 60) == ()
    steps = TONGUE.push_steps(found, TONGUE.render(leaf(ecmp_width=7)), 60)
    sent = next(one.file.text for one in steps if one.file and one.file.path.endswith("/set.yaml"))
    assert "<<secret:tacacs_key>>" in sent


def test_rules_of_isolation_are_installed_with_a_way_back():
    rendered = TONGUE.render(oob())
    bare = replace(rendered, files=tuple(one for one in rendered.files if one.path == STARTUP))
    steps = TONGUE.push_steps(bare, rendered, 60)
    assert [one.phase for one in steps] == ["stage", "apply", "apply", "confirm"]
    _, armed, applied, kept = (one.command for one in steps)
    assert (
        "--on-active=60s sh -c 'PATH=$PATH:/usr/cumulus/bin cl-acltool -i && rm -rf /run" in armed
    )
    assert applied == "PATH=$PATH:/usr/cumulus/bin cl-acltool -i -P /run/railbed-isolation"
    assert ISOLATION not in armed + applied, "a restart installs the old ones"
    assert ISOLATION in kept
    assert "cl-acltool -i" in steps[2].undo
    assert not TONGUE.push_steps(rendered, rendered, 60)
    gone = TONGUE.push_steps(rendered, bare, 60)
    assert f"rm -f {ISOLATION}" in gone[-1].command


class Acl:
    """A root with the rules that are installed, by a `cl-acltool` that fails where it is told."""

    def __init__(self, root: Path) -> None:
        self.root, self.installed = root, root / "installed"
        (root / "bin").mkdir()
        programs = {
            "cl-acltool": f"[ ! -e {root}/fails ] && cat {root}{ISOLATION} > {self.installed}",
            "systemctl": "exit 5",  # of a unit that is not loaded (systemctl(1))
            "nv": "echo '{}'",
        }
        for name, does in programs.items():
            (root / "bin" / name).write_text(f"#!/bin/sh\n{does}\n")
            (root / "bin" / name).chmod(0o755)
        for path in (ISOLATION, TRIED_RULES, "/var/lib/railbed/isolation.new"):
            (root / path[1:]).parent.mkdir(parents=True)
            (root / path[1:]).write_text("old" if path == ISOLATION else "new")
        self.installed.write_text("new")

    def run(self, command: str) -> str:
        inside = re.sub(r"(?<![\w/.-])/(?=(var/lib|run|etc)/)", f"{self.root}/", command)
        path = {"PATH": f"{self.root}/bin:{os.environ['PATH']}"}
        done = subprocess.run(
            ["sh", "-c", inside], env=path, capture_output=True, text=True, check=False
        )
        return done.stdout.strip()


def test_rules_that_are_tried_are_told_until_the_old_ones_are_installed(tmp_path):
    acl = Acl(tmp_path)
    (tmp_path / "fails").touch()
    acl.run(UNDO_COMMAND)
    assert (acl.run(PENDING_COMMAND), acl.installed.read_text()) == ("isolation", "new")
    (tmp_path / "fails").unlink()
    acl.run(UNDO_COMMAND)
    assert (acl.run(PENDING_COMMAND), acl.installed.read_text()) == ("", "old")


def test_rules_that_are_kept_are_those_that_are_installed_whatever_their_timer_did(tmp_path):
    rendered, acl = TONGUE.render(oob()), Acl(tmp_path)
    bare = replace(rendered, files=tuple(one for one in rendered.files if one.path == STARTUP))
    acl.installed.write_text("old")  # it ended, and has not taken its mark away
    acl.run(TONGUE.push_steps(bare, rendered, 60)[-1].command)
    assert acl.run(PENDING_COMMAND) == ""
    assert acl.installed.read_text() == (tmp_path / ISOLATION[1:]).read_text() == "new"


def test_a_window_that_is_too_short_is_refused():
    with pytest.raises(DialectError, match="5 s"):
        TONGUE.push_steps(TONGUE.render(leaf()), TONGUE.render(leaf(ecmp_width=7)), 5)


@pytest.mark.parametrize(
    "cut", [lambda one: one[:-8], lambda one: one[20:], lambda one: one * 2, lambda _: ""]
)
def test_an_answer_that_is_not_whole_is_refused(cut):
    with pytest.raises(DialectError, match="cannot be read"):
        TONGUE.running(LEAF, cut(answer(TONGUE.render(leaf()))))


def test_a_drain_changes_no_startup_file():
    made = base("cumulus", "storage-spine1")
    said = TONGUE.drain_command(made, drained=True)
    assert said.startswith("vtysh ")
    assert said.count("bgp graceful-shutdown") == 3
    assert "no bgp graceful-shutdown" in TONGUE.drain_command(made, drained=False)


def test_changes_name_their_place_and_impact():
    other = leaf(hash_seed=77, asn=4_200_010_999)
    found = changes(TONGUE.render(leaf()), TONGUE.render(other), TONGUE)
    assert [(one.section, one.impact) for one in found] == [
        ("router bgp", "daemon restart"), ("system forwarding", "reload"),
    ]  # fmt: skip
