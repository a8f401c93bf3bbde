"""A role's contract, its Ansible face and its pyinfra face say the same."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace

import pytest

from roles.pyinfra_role import ROLES

from .faces import FILES, by_ansible, by_pyinfra
from .owned import CASES, HOST_OF, NAMES, PLAN, PLAN_OF, Touched, owned, read, variables

# systemd's own: it loads what a file of the role ofed names.
NOT_OWNED_BUT_RESTARTED = {"systemd-modules-load.service"}


@pytest.mark.parametrize(("role", "case"), CASES)
def test_the_ansible_face_touches_what_the_role_owns_and_nothing_else(role, case):
    assert told(by_ansible(role, case), owned(role, case))


@pytest.mark.parametrize(("role", "case"), CASES)
def test_the_pyinfra_face_touches_what_the_role_owns_and_nothing_else(role, case, monkeypatch):
    found = by_pyinfra(role, case, monkeypatch)
    assert found.sysctls == owned(role, case).sysctls
    assert told(found, owned(role, case))


@pytest.mark.parametrize(("role", "case"), CASES)
def test_both_faces_do_the_same_when_something_changed(role, case, monkeypatch):
    ansible = by_ansible(role, case).actions
    pyinfra = by_pyinfra(role, case, monkeypatch).actions
    assert ansible == pyinfra
    assert ansible
    units = {one.split()[1] for one in ansible if one.startswith(("restarted", "reloaded"))}
    assert units - NOT_OWNED_BUT_RESTARTED <= owned(role, case).units.keys()


@pytest.mark.parametrize(("role", "case"), CASES)
def test_both_faces_let_the_same_follow_on_each_file(role, case, monkeypatch):
    applied = f"/var/lib/railbed-{role}.applied"
    ansible = {path: told for path, told in by_ansible(role, case).tells.items() if told}
    assert ansible.pop(applied) == {
        one for one in by_ansible(role, case).actions if not one.startswith("sysctl ")
    }
    assert ansible == by_pyinfra(role, case, monkeypatch).tells
    assert ansible


@pytest.mark.parametrize("role", NAMES)
def test_what_puts_files_in_place_has_one_name_in_both_engines(role):
    """What an operator reads of a run is the same, whichever engine ran."""
    tasks = [one for one in read(role, "tasks/main.yml") if FILES in one]
    names = {one["name"] for one in tasks if not one.get("check_mode")}
    text = "".join(one.read_text() for one in (ROLES / role).glob("*.py"))
    put = set(re.findall(r'\bput\(\s*"([^"]+)"', text))
    assert names == put | {"Note what the services have read"}


def test_both_faces_keep_the_same_before_they_change_it_and_confirm_it_last(monkeypatch):
    """All that may cut the way to the server: what follows on nothing but its services."""
    units = ("railbed-oob-firewall", "systemd-networkd")
    runs = [f"systemctl is-active --quiet {one}.service" for one in units]
    for case in ("", "elsewhere"):
        ansible = by_ansible("oob_server", case)
        pyinfra = by_pyinfra("oob_server", case, monkeypatch)
        port = variables("oob_server", case)["oob_server_access_port"]
        said = ["go-back now", f"arm 300 {port}", "expect 30", "confirm"]
        assert ansible.way_back == pyinfra.way_back == said
        anew = ["ControlMaster=no", "ControlPath=none", "ConnectionAttempts=3"]
        assert ansible.confirmed_by == pyinfra.confirmed_by == anew
        assert ansible.guarded == pyinfra.guarded
        own = ("dhcp-hosts", "dnsmasq.conf", "hosts", "hostname", "railbed-dnsmasq.service")
        time = ("railbed.conf", "railbed-chrony.service")
        others = (*own, *time, "railbed-oob-way-back", "railbed-oob-way-back.service")
        # What services have read is among them: where it differs, all of them are told.
        rest = owned("oob_server", case).files
        assert ansible.guarded == {one for one in rest if one.rsplit("/", 1)[1] not in others}
        assert ansible.must_run == pyinfra.must_run == " && ".join(runs)
    asked = "oob_server_guarded.paths | length > 0 or oob_server_run.rc != 0"
    whens = [str(one.get("when")) for one in read("oob_server", "tasks/main.yml")]
    assert [one for one in whens if "oob_server_guarded" in one] == [asked] * 3
    names = [one["name"] for one in read("oob_server", "tasks/main.yml")]
    armed = names.index("Keep what is there, and go back to it unless it is confirmed")
    assert armed < min(
        names.index(one) for one in names if one.startswith(("Write", "Desc", "Conf"))
    )


@pytest.mark.parametrize(("role", "case"), CASES)
def test_after_a_run_that_was_cut_off_every_service_is_told(role, case, monkeypatch):
    """The files may be as planned already; kernel parameters are compared with what runs."""
    before = by_pyinfra(role, case, monkeypatch)
    after = by_pyinfra(role, case, monkeypatch, is_cut_off=True)
    assert before.always == set()
    assert after.always == {one for one in after.actions if not one.startswith("sysctl ")}
    assert after.always


@pytest.mark.parametrize("role", NAMES)
def test_so_it_is_by_ansible(role):
    """What services have read is looked at and noted last; between, all of them are told."""
    tasks = read(role, "tasks/main.yml")
    at = next(at for at, one in enumerate(tasks) if "flush_handlers" in one.values())
    before, look, tell, note = tasks[: at - 1], tasks[at - 1], tasks[at], tasks[-1]
    # In between only what says that it may stay.
    assert all("railbed-oob-way-back" in str(one) for one in tasks[at + 1 : -1])
    assert (look["check_mode"], look[FILES]) == (True, note[FILES])
    assert note["when"] == f"{look['register']}.paths | length > 0"
    assert "notify" not in note
    assert not [one for one in before if "flush_handlers" in one.values()]
    assert tell["ansible.builtin.meta"] == "flush_handlers"
    handlers = {one["name"] for one in read(role, "handlers/main.yml")}
    notified = {look["notify"]} if isinstance(look["notify"], str) else {*look["notify"]}
    assert {one for one in handlers - notified if not one.startswith("Apply the kernel")} == set()
    assert notified <= handlers


def told(found: Touched, wanted: Touched) -> bool:
    """Whether a face has what the contract says; a failing assert shows the difference."""
    assert found.files == wanted.files
    assert found.folders == wanted.folders
    assert found.packages == wanted.packages
    assert found.units == wanted.units
    loads = {one.split()[1] for one in found.actions if one.startswith("sysctl ")}
    assert loads <= wanted.files.keys()
    assert bool(loads) == bool(wanted.sysctls) or not wanted.sysctls
    return True


def test_the_comparison_bites():
    wanted = owned("oob_server")
    assert told(replace(wanted), wanted)
    short = replace(wanted, files=dict(list(wanted.files.items())[1:]))
    with pytest.raises(AssertionError):
        told(short, wanted)


@pytest.mark.parametrize("role", NAMES)
def test_every_template_and_file_of_a_role_is_a_file_that_it_owns(role):
    """But for what it looks at before it changes anything; a maker's file is one in a template."""
    homes = (ROLES / role / "templates", ROLES / role / "files")
    files = {one.name for home in homes for one in home.glob("*") if one.is_file()}
    there = files - {"preflight.sh", "preflight.sh.j2"}
    cases = [case for name, case in CASES if name == role]
    assert {row[0] for case in cases for row in owned(role, case).files.values()} == there


@pytest.mark.parametrize("host", sorted(set(HOST_OF.values())))
def test_no_two_roles_own_one_thing(host):
    owners: dict[str, list[str]] = defaultdict(list)
    for role in (role for role, on in HOST_OF.items() if on == host):
        found = owned(role)
        for thing in (*found.files, *found.packages, *found.units, *found.sysctls):
            owners[thing].append(role)
    assert {thing: roles for thing, roles in owners.items() if len(roles) > 1} == {}


@pytest.mark.parametrize(("role", "case"), CASES)
def test_both_faces_mend_units_that_others_touched_and_packages_that_others_hold(
    role, case, monkeypatch
):
    """Each is drift, and no file of the role needs to differ for it."""
    pyinfra, ansible = by_pyinfra(role, case, monkeypatch), by_ansible(role, case)
    wanted = owned(role, case)
    assert pyinfra.read == {name for name, (state, _) in wanted.units.items() if state != "masked"}
    assert ansible.read & wanted.units.keys()
    assert pyinfra.packages == ansible.packages == wanted.packages
    # By name: held or let go.
    assert pyinfra.holds == ansible.holds == wanted.holds
    assert pyinfra.install_env == ansible.install_env


@pytest.mark.parametrize("role", NAMES)
def test_owned_files_are_sorted(role):
    paths = [row["path"] for row in read(role, "meta/owns.yml")["files"]]
    assert paths == sorted(paths)


@pytest.mark.parametrize("role", NAMES)
def test_the_readme_shows_what_the_role_owns(role):
    text = (ROLES / role / "README.md").read_text()
    owns = read(role, "meta/owns.yml")
    for row in owns["files"]:
        path = re.sub(r"\{\{ \w+\.(\w+) \}\}", r"<\1>", row["path"])
        assert path.rpartition("/")[2] in text
    for row in owns.get("units", []):
        assert row["name"] in text
    # By name, or by the variable that has the lock's names.
    by_lock = any(f"`{row.get('for')}`" in text for row in owns.get("packages", []))
    for name in owned(role).packages:
        assert by_lock or f"`{name}`" in text


@pytest.mark.parametrize("role", NAMES)
def test_what_is_installed_has_a_version_in_the_lock(role):
    """Nodes have no other source. The OOB server has its own, and any version of it will do."""
    has_sources = HOST_OF[role] == PLAN.oob.name
    rows = read(role, "meta/owns.yml").get("packages", [])
    assert all(("version" in row) != has_sources for row in rows)
    if has_sources or not rows:
        return
    assert {one.name for one in PLAN_OF[role].packages.packages} >= owned(role).packages
