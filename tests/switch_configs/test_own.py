"""What a switch keeps as its own: never changed by us, always compared and told, never shown."""

from __future__ import annotations

from dataclasses import replace

import pytest

from deploy.compare import compare, exit_status
from switch_configs import dialect, render
from switch_configs.changes import changes
from switch_configs.intent import Rendered
from tests.switch_configs.sites import small

LEAF = "leaf-p1-r0"
CANARY = "c4n4ryC4n4ry"
# What lets somebody in beside the plan, by system: kind -> lines, and where they stand.
WAYS_IN = {
    "cumulus": {
        "users": f"    system: {{aaa: {{user: {{mallory: {{hashed-password: {CANARY}}}}}}}}}\n",
        "users: ours": f"    system: {{aaa: {{user: {{cumulus: {{ssh: {{k: {CANARY}}}}}}}}}}}\n",
        "banners": f"    system: {{message: {{pre-login: {CANARY}}}}}\n",
        "SSH server": "    system: {ssh-server: {permit-root-login: enabled}}\n",
        "management access lists": "    system: {control-plane: {acl: {all: {inbound: {}}}}}\n",
        "API": "    system: {api: {listening-address: {0.0.0.0: {}}}}\n",
        "roles of users": "    system: {aaa: {role: {all: {class: {sudo: {}}}}}}\n",
    },
    "sonic": {
        "SNMP": f'"SNMP_COMMUNITY": {{"{CANARY}": {{"TYPE": "RW"}}}},\n',
        "banners": f'"BANNER_MESSAGE": {{"global": {{"state": "on", "login": "{CANARY}"}}}},\n',
    },
    "eos": {
        "users": f"username mallory privilege 15 role network-admin secret sha512 {CANARY}\n",
        "users: root": f"aaa root secret sha512 {CANARY}\n",
        "users: by key": f"username admin ssh-key ssh-rsa {CANARY} x\n",
        "banners": f"banner login\n{CANARY}\nEOF\n",
    },
    "nxos": {
        "users": f"username mallory password 5 {CANARY} role network-admin\n",
        "users: by key": f"username admin sshkey ssh-rsa {CANARY}\n",
        "banners": f"banner motd ^{CANARY}^\n",
        "shell": "feature bash-shell\n",
    },
}
JOINED = {"cumulus": "- set:\n"}
HEADS = {"sonic": "{\n", "nxos": "hostname ", "eos": "hostname "}


def with_more(rendered: Rendered, more: str) -> Rendered:
    """The same with lines that somebody added, in the file that holds such."""

    def text(old: str) -> str:
        head = HEADS.get(rendered.dialect)
        if head is None:
            return f"{old}- set:\n{more}"
        return old.replace(head, head + more if head == "{\n" else more + head, 1)

    first = "config_db" if rendered.dialect == "sonic" else ""
    return replace(
        rendered,
        files=tuple(
            replace(one, text=text(one.text))
            if first in one.path and not one.path.endswith(".rules")
            else one
            for one in rendered.files
        ),
    )


@pytest.mark.parametrize("name", sorted(WAYS_IN))
def test_ways_in_that_the_plan_does_not_name_are_told_and_not_shown(name, tmp_path):
    plan = small(name)
    asked = render(plan, LEAF)
    added = with_more(asked, JOINED.get(name, "").join(WAYS_IN[name].values()))
    for at, held in (("old", asked), ("new", added)):
        for file in held.files:
            path = tmp_path / at / LEAF / file.path.lstrip("/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(file.text, encoding="utf-8")
    kinds = sorted({kind.partition(":")[0] for kind in WAYS_IN[name]})
    for new in (None, tmp_path / "old"):
        found = compare(plan, tmp_path / "new", new)
        (one,) = (one for one in found if one.device == LEAF)
        assert [each.section for each in one.changes] == kinds
        said = [int(each.lines[0].split()[1]) for each in one.changes]
        assert sum(said) == len(WAYS_IN[name])
        assert exit_status(found) == 1
        assert CANARY not in repr(found)
    (same,) = compare(plan, tmp_path / "old", tmp_path / "old")
    assert not same.changes


def test_a_secret_that_changed_is_said_and_never_which():
    tongue = dialect("cumulus")
    rendered = render(small("cumulus"), LEAF)
    old, new = (
        replace(
            rendered,
            files=tuple(replace(one, text=one.text.replace("<<secret:tacacs_key>>", key))
                        for one in rendered.files),
        )
        for key in (CANARY, CANARY[::-1])
    )  # fmt: skip
    (change,) = changes(old, new, tongue)
    assert change.lines == ("a secret changed",)
    held = replace(rendered, files=tuple(replace(one, mode="0640") for one in rendered.files))
    assert all("becomes root:root 0" in one.lines[0] for one in changes(held, rendered, tongue))
