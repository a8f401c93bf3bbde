"""Local accounts beside those that a site plans: compared and told, never rendered, never shown."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from deploy.switches.compare import Compared, compare, exit_status
from inventory.plan import Plan, SwitchAccount
from switch_configs import dialect, render
from switch_configs.readback import accounts
from tests.switch_configs.shells import SHOWN, state
from tests.switch_configs.sites import DIALECTS, Mapping, small
from tests.switch_configs.test_own import CANARY, JOINED, LEAF, with_more
from tests.validation.stages.test_own_running import as_shown
from validation.stages.s25_switch_state.running import own_otherwise

CAN = ("cumulus", "eos", "nxos")
OPS = {"name": "ops", "role": "admin", "required": True, "ssh_keys": 1}
VIEWER = {"name": "viewer", "role": "operator"}

_ROLES = {
    "cumulus": {"admin": "system-admin", "operator": "nvue-monitor", "made": "mine"},
    "eos": {"admin": "network-admin", "operator": "network-operator", "made": "mine"},
    "nxos": {"admin": "network-admin", "operator": "network-operator", "made": "mine"},
}


def login(name: str, who: str, role: str, keys: int = 0) -> str:
    """An account as a system's configuration has it, its password and keys canaries."""
    word = _ROLES[name][role]
    if name == "cumulus":
        key = ", ".join(f"k{n}: {{key: {CANARY}{n}, type: ssh-rsa}}" for n in range(keys))
        ssh = f", ssh: {{authorized-key: {{{key}}}}}" if keys else ""
        said = f"hashed-password: {CANARY}, role: {word}, state: enabled{ssh}"
        return f"    system: {{aaa: {{user: {{{who}: {{{said}}}}}}}}}\n"
    if name == "eos":
        level = 15 if role == "admin" else 1
        held = [f"username {who} privilege {level} role {word} secret sha512 {CANARY}\n"]
        held += [f"username {who} ssh-key ssh-rsa {CANARY}{n} x\n" for n in range(keys)]
    else:
        held = [f"username {who} password 5 {CANARY}  role {word}\n"]
        held += [f"username {who} passphrase  lifetime 99999 warntime 14 gracetime 3\n"]
        held += [f"username {who} sshkey ssh-rsa {CANARY}{n}\n" for n in range(keys)]
    return "".join(held)


# What makes an account more than its role says, in lines beside those of an operator.
MORE = {
    "cumulus": [
        "    system: {aaa: {user: {viewer: {hashed-password: ''}}}}\n",
        "    system: {aaa: {user: {viewer: {state: disabled}}}}\n",
        f"    system: {{aaa: {{user: {{viewer: {{password: {CANARY}}}}}}}}}\n",
    ],
    "eos": [
        "username viewer nopassword\n",
        "username viewer role network-admin\n",
        "username viewer privilege 15\n",
        "username viewer shell /bin/bash\n",
        f"username viewer role network-operator secret 0 {CANARY}\n",
    ],
    "nxos": [
        "username viewer role network-admin\n",
        "username viewer role mine\n",
        "username viewer passphrase lifetime 9 warntime 1 gracetime 3\n",
        f"username viewer password 0 {CANARY} role network-operator\n",
        f"username viewer keypair import bootflash:{CANARY}\n",
    ],
}


def planned(name: str, *said: Mapping) -> Plan:
    """The small site, with these accounts as `tests/inventory/rules/test_accounts.py` derives
    them."""
    made = tuple(
        SwitchAccount(
            one["name"],
            one["role"],
            one.get("required", False),
            one.get("ssh_keys", 0),
            tuple(one.get("devices", ["*"])),
        )
        for one in said
    )
    plan = small(name)
    return replace(plan, switch_services=replace(plan.switch_services, accounts=made))


@pytest.fixture
def told(tmp_path):
    """What `diff` tells of a leaf that holds these lines too, and how it ends."""

    def tell(plan: Plan, more: str) -> tuple[Compared, int]:
        held = render(plan, LEAF)
        lines = JOINED.get(held.dialect, "").join(more.splitlines(keepends=True))
        for file in (with_more(held, lines) if more else held).files:
            path = tmp_path / LEAF / file.path.lstrip("/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(file.text, encoding="utf-8")
        (one,) = (one for one in compare(plan, tmp_path, None) if one.device == LEAF)
        assert CANARY not in repr(one)
        return one, exit_status((one,))

    return tell


def said(one: Compared) -> list[str]:
    """The lines that are told, one after another."""
    return [line for change in one.changes for line in change.lines]


@pytest.mark.parametrize("name", CAN)
def test_an_added_account_differs_and_an_allowed_one_does_not(told, name):
    more = login(name, "ops", "admin", keys=1)
    one, status = told(planned(name), more)
    assert [each.section for each in one.changes] == ["users"]
    assert status == 1
    allowed, status = told(planned(name, OPS), more)
    assert not allowed.changes
    assert status == 0


@pytest.mark.parametrize("name", CAN)
def test_another_one_beside_an_allowed_one_differs(told, name):
    more = login(name, "viewer", "operator") + login(name, "mallory", "admin")
    one, status = told(planned(name, VIEWER), more)
    assert [each.section for each in one.changes] == ["users"]
    assert "mallory" not in repr(one)
    assert status == 1


@pytest.mark.parametrize("name", CAN)
def test_a_required_one_that_is_missing_differs_and_an_allowed_one_may_be(told, name):
    one, status = told(planned(name, OPS, VIEWER), "")
    assert said(one) == [
        "- account ops is not there, and the plan requires it; no push makes or changes it"
    ]
    assert status == 1


@pytest.mark.parametrize("name", CAN)
@pytest.mark.parametrize("role", ["admin", "made"])
def test_a_role_raised_differs(told, name, role):
    one, status = told(planned(name, VIEWER), login(name, "viewer", role))
    assert [each.partition(",")[0] for each in said(one)] == [
        "- account viewer is no plain operator"
    ]
    assert status == 1


@pytest.mark.parametrize("name", CAN)
def test_a_role_lowered_differs(told, name):
    one, _ = told(planned(name, OPS), login(name, "ops", "operator"))
    assert [each.partition(",")[0] for each in said(one)] == ["- account ops is no plain admin"]


@pytest.mark.parametrize("name", CAN)
def test_a_key_more_than_planned_differs(told, name):
    one, _ = told(planned(name, OPS), login(name, "ops", "admin", keys=2))
    assert [each.partition(";")[0] for each in said(one)] == [
        "- account ops has 2 SSH keys, planned 1 at most"
    ]


@pytest.mark.parametrize(("name", "more"), [(name, one) for name in CAN for one in MORE[name]])
def test_more_than_its_role_differs(told, name, more):
    one, status = told(planned(name, VIEWER), login(name, "viewer", "operator") + more)
    assert [each.partition(",")[0] for each in said(one)] == [
        "- account viewer is no plain operator"
    ]
    assert status == 1


@pytest.mark.parametrize("name", CAN)
def test_the_plan_goes_before_what_the_maker_ships(told, name):
    """The maker's own account is allowed where the plan is silent, and judged where it is not."""
    who = "cumulus" if name == "cumulus" else "admin"
    shipped = login(name, who, "admin")
    assert not told(planned(name), shipped)[0].changes
    one, _ = told(planned(name, {"name": who, "role": "operator"}), shipped)
    assert [each.partition(",")[0] for each in said(one)] == [
        f"- account {who} is no plain operator"
    ]


@pytest.mark.parametrize("name", CAN)
def test_an_account_is_planned_for_the_switches_that_it_names(told, name):
    elsewhere = OPS | {"devices": ["spine*", "leaf-p2-*"]}
    plan = planned(name, elsewhere)
    assert accounts.planned(plan, LEAF) == ()
    assert accounts.planned(plan, "leaf-p2-r0") == plan.switch_services.accounts
    one, _ = told(plan, login(name, "ops", "admin"))
    assert [each.section for each in one.changes] == ["users"]


@pytest.mark.parametrize("name", CAN)
def test_nothing_of_an_account_is_rendered_or_pushed(name):
    with_some, without = planned(name, OPS, VIEWER), small(name)
    for device in (*without.switch, *without.oob_switch):
        assert render(with_some, device) == render(without, device)


@pytest.mark.parametrize("name", CAN)
def test_what_a_switch_shows_of_itself_is_judged_alike(name, tmp_path):
    """Stage 25 reads an answer whose secrets were taken out on the switch."""

    def seen(plan: Plan, more: str, at: str) -> tuple[str, ...]:
        shown = SHOWN[name](render(plan, LEAF), as_shown(name, more))
        folder: Path = tmp_path / at
        folder.mkdir()
        text = state(name, shown, folder)
        assert CANARY not in text
        return own_otherwise(plan, LEAF, text)

    ops = login(name, "ops", "admin", keys=1)
    assert seen(planned(name, OPS), ops, "good") == ()
    assert seen(planned(name), ops, "added")
    (missing,) = seen(planned(name, OPS), "", "missing")
    assert missing.startswith("account ops is not there")
    for role in ("operator", "made"):
        (otherwise,) = seen(planned(name, OPS), login(name, "ops", role), role)
        assert otherwise.startswith("account ops is no plain admin")


@pytest.mark.parametrize("name", sorted(set(DIALECTS) - set(CAN)))
def test_systems_whose_configuration_holds_none_have_none(name):
    assert dialect(name).accounts(render(small(name), LEAF)) == ()
