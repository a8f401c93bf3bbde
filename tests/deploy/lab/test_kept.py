"""A kept lab: named by all that made it, whole or not there, and every start of it settled."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from deploy.context import no_journal
from deploy.errors import RailbedError
from deploy.lab import settled, spec
from deploy.lab.kept import lab as kept
from deploy.lab.kept import store as kept_store
from deploy.lab.kept.store import Kept
from deploy.lab.machines import machine
from deploy.lab.paths import LabPaths
from deploy.rollout.change import apply_site
from deploy.session import Selection, open_context
from inventory import open_site, site_folder
from tests.labs import applied, kept_lab, lab_name, started

from .traces import forget

SITE = site_folder("lab")
KEY = "0123456789abcdef"


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A clone of a file or two in each room, which decides the key."""
    clone = tmp_path / "clone"
    (clone / "tests").mkdir(parents=True)
    for room in kept_store.ROOMS:
        (clone / room / "deep").mkdir(parents=True)
        for name in ("README.md", "code.py", "deep/text.j2", "deep/README.md"):
            (clone / room / name).write_text("as it was\n")
    for name in ("requirements.lock", "ansible.cfg", "tests/test_one.py", "README.md"):
        (clone / name).write_text("as it was\n")
    shutil.copytree(SITE, clone / "inventory/sites/lab")
    shutil.copytree(SITE, clone / "inventory/sites/other")
    monkeypatch.setattr(kept_store, "CLONE", clone)
    return clone


def key(clone: Path, chosen: str = "", wiring: Path | None = None) -> str:
    """As a process that begins now has it."""
    kept_store.product.cache_clear()
    return kept_store.key_of(clone / "inventory/sites/lab", chosen, wiring)


DECIDE = [
    *(f"{room}/{name}" for room in kept_store.ROOMS for name in ("code.py", "deep/text.j2")),
    *("requirements.lock", "ansible.cfg"),
    *(f"inventory/sites/lab/{name}" for name in ("fabric.yml", "asbuilt.csv", "wiring.csv")),
]


@pytest.mark.parametrize("name", DECIDE)
def test_another_key_for_whatever_decides_what_apply_does(clone, name):
    before = key(clone)
    path = clone / name
    text = path.read_text()
    path.write_text(f"{text}\n")
    assert key(clone) != before
    path.write_text(text)
    assert key(clone) == before
    path.chmod(0o755)
    assert key(clone) != before
    path.unlink()
    if name.endswith(("wiring.csv", "lock", "cfg")):
        with pytest.raises(FileNotFoundError):
            key(clone)
    else:
        assert key(clone) != before


@pytest.mark.parametrize("room", kept_store.ROOMS)
def test_a_new_file_makes_another_key(clone, room):
    before = key(clone)
    (clone / room / "deep/new.yml").touch()
    assert key(clone) != before


def test_what_was_chosen_and_plugged_makes_another_key(clone, tmp_path):
    cables = tmp_path / "wiring.csv"
    shutil.copy(SITE / "wiring.csv", cables)
    before = key(clone)
    assert key(clone, wiring=cables) == before
    cables.write_text(cables.read_text().replace("spine1,swp1", "spine1,swp9"))
    assert len({before, key(clone, wiring=cables), key(clone, "oob"), key(clone, "oob nodes")}) == 4


def test_readmes_tests_caches_and_other_sites_decide_nothing(clone):
    before = key(clone)
    for name in ("README.md", "deploy/README.md", "roles/deep/README.md", "tests/test_one.py"):
        (clone / name).write_text("otherwise\n")
    (clone / "inventory/sites/other/fabric.yml").write_text("otherwise\n")
    (clone / "deploy/__pycache__").mkdir()
    (clone / "deploy/__pycache__/code.pyc").write_text("compiled")
    assert key(clone) == before


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty place for kept labs, and no lab that stands."""
    folder = tmp_path / "applied"
    monkeypatch.setattr(kept_store, "APPLIED", folder)
    monkeypatch.setattr(kept_store, "LOCK", folder / "lock")
    monkeypatch.setattr(kept_store, "RUNTIME", tmp_path / "run")
    return folder


def put(key: str) -> Kept:
    with kept_store.half_made() as half:
        (half / "disks").mkdir()
        return kept_store.put(half, key)


def test_what_is_half_made_is_never_used_and_goes(store):
    def cut_off() -> None:
        with kept_store.half_made() as half:
            (half / "disks").mkdir()
            assert kept_store.newest(KEY) is None
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cut_off()
    assert list(store.glob("half-*")) == []
    # What a kill -9 leaves: nobody holds its lock.
    left = store / "half-left"
    (left / "disks").mkdir(parents=True)
    assert kept_store.newest(KEY) is None
    with kept_store.half_made() as by_another:
        whole = put(KEY)
        assert by_another.is_dir()
    assert kept_store.newest(KEY) == whole
    assert not left.exists()


def test_the_newest_of_a_key_is_used_and_the_one_before_goes(store):
    first, second = put(KEY), put(KEY)
    assert kept_store.newest(KEY) == second
    assert not first.folder.exists()
    assert kept_store.newest("f" * 16) is None


def test_of_other_keys_the_last_few_stay(store, monkeypatch):
    monkeypatch.setattr(kept_store, "_OTHERS", 3)
    made = [put(f"{number:016x}") for number in range(6)]
    assert [one.folder.exists() for one in made] == [False, False, True, True, True, True]


def test_what_is_too_old_for_its_signatures_is_not_used(store, monkeypatch):
    put(KEY)
    monkeypatch.setattr(kept_store, "FRESH_S", 0.0)
    assert kept_store.newest(KEY) is None


def test_what_a_lab_stands_on_stays(store, tmp_path):
    """Also while one is being started that is in no list yet."""
    used = put(KEY)
    standing = tmp_path / "run/some"
    standing.mkdir(parents=True)
    one = spec.LabSpec("some", "nspawn", 0, 200, "", (), (), "", "", 0.0, kept=used.name)
    spec.save(one, standing / "lab.json")
    starting = put(KEY)
    with kept_store.standing_on(starting):
        last = put(KEY)
        assert [one.folder.exists() for one in (used, starting, last)] == [True, True, True]
    put(KEY)
    assert [one.folder.exists() for one in (used, starting, last)] == [True, False, False]
    with pytest.raises(RailbedError, match="was removed"), kept_store.standing_on(last):
        pass


@pytest.fixture(scope="module")
def two() -> Iterator[tuple[Selection, Selection]]:
    """Two labs over one kept lab, side by side."""
    with applied("kone") as one, started("ktwo", kept_lab()) as other:
        yield one, other


def inside(lab: str, device: str, script: str) -> str:
    done = machine.inside(lab, device, ["sh", "-c", script], timeout_s=60)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


@pytest.mark.instances(keep=1, of="what a kept lab is once it is started")
@pytest.mark.lab
def test_a_started_lab_shows_what_the_kept_one_showed(two):
    shown = kept_lab().kept.about.shown
    assert sorted(shown) == sorted(open_site("lab").devices)
    assert all(len(facts) > 15 for facts in shown.values())
    for lab in two:
        settled.wait(lab.lab, shown, limit_s=0)


@pytest.mark.instances(keep=1, of="what a kept lab is once it is started")
@pytest.mark.lab
def test_a_started_lab_needs_no_change(two):
    """The record that came with it is true: neither a dry run nor an apply finds anything."""
    dry = apply_site(two[0], "", dry_run=True, say=print)
    assert dry.differences == ()
    assert dry.outcome == "dry run: 0 devices would change"
    again = apply_site(two[0], "", dry_run=False, say=print)
    assert (again.exit_code, again.changed) == (0, ()), again.outcome


@pytest.mark.instances(keep=1, of="what a kept lab is once it is started")
@pytest.mark.lab
def test_two_side_by_side_share_no_disk_no_state_and_no_address(two):
    one, other = (lab.lab for lab in two)
    owned = "/etc/sysctl.d/90-railbed-os.conf"
    below = kept_lab().kept.upper("node-p1-1") / owned.lstrip("/")
    before = below.read_bytes()
    inside(one, "node-p1-1", f"cp {owned} /root/was; echo mine > {owned}; echo mine > /root/new")
    try:
        assert inside(other, "node-p1-1", f"cat {owned}").encode() == before == below.read_bytes()
        assert inside(other, "node-p1-1", "ls /root/new 2> /dev/null || true") == ""
    finally:
        inside(one, "node-p1-1", f"cat /root/was > {owned}; rm /root/was /root/new")
    for mine, others in (two, two[::-1]):
        config = open_context(mine, lambda _: None, no_journal).ssh_config.read_text()
        assert str(mine.state_dir) in config
        assert address(mine) in config
        assert str(others.state_dir) not in config
        assert address(others) not in config


def address(lab: Selection) -> str:
    """Where its jump host answers."""
    return str(json.loads((lab.state_dir / "access.json").read_text())["address"])


@pytest.mark.instances(keep=1, of="what a kept lab is once it is started")
@pytest.mark.lab
def test_a_lab_that_does_not_come_to_rest_is_told_by_what_it_lacks(two):
    lab = two[1].lab
    shown = kept_lab().kept.about.shown
    wanted = {**shown, "spine1": [*shown["spine1"], "address 192.0.2.1/32 lo"]}
    with pytest.raises(RailbedError, match=r"spine1: lacks address 192\.0\.2\.1/32 lo$"):
        settled.wait(lab, wanted, limit_s=0.2)


def test_what_is_settled_counts_again_when_others_have_moved(monkeypatch):
    """An lldpd that starts anew takes itself from its neighbours' lists: all count in one look."""
    looks = {"leaf": iter(["kept", "moved", "kept", "kept"]), "spine": iter(["late"])}
    asked: list[str] = []

    def told(lab: str, name: str, script: str) -> frozenset[str]:
        if "lldpcli" not in script:
            return frozenset()
        asked.append(name)
        return frozenset([f"lldp {next(looks[name], 'kept')}"])

    monkeypatch.setattr(settled, "_told", told)
    monkeypatch.setattr(settled, "_announce", lambda *_: None)
    settled.wait("toy", {"leaf": ["lldp kept"], "spine": ["lldp kept"]}, limit_s=60)
    assert asked == ["leaf", "spine", "spine", "leaf", "spine", "leaf", "leaf", "spine"]


def test_sessions_are_asked_for_once_routes_are_there(monkeypatch):
    """A look at what comes last costs most, and a lab is looked at until all is there."""
    routes = iter(["none", "none", "kept"])
    asked: list[str] = []

    def told(lab: str, name: str, script: str) -> frozenset[str]:
        asked.append("vtysh" if "vtysh" in script else "ip" if "route" in script else "name")
        return frozenset([f"route {next(routes)}"] if asked[-1] == "ip" else [])

    monkeypatch.setattr(settled, "_told", told)
    settled.wait("toy", {"leaf": ["route kept"]}, limit_s=60)
    assert asked == ["name", "ip", "name", "ip", "name", "ip", "vtysh"]


def test_a_clock_is_awaited_while_its_program_does_not_answer(monkeypatch):
    tracked = "CB007101,203.0.113.1,3,1700000000.0,0,0,0,0,0,0,0,0,64.0,Normal"
    showed = {"506 Cannot talk to daemon": set(), tracked: {"clock Normal by 203.0.113.1"}}
    for told, facts in showed.items():
        said = SimpleNamespace(stdout=f"== clock\n{told}\n".encode())
        monkeypatch.setattr(machine, "inside", lambda *_, said=said, **__: said)
        assert settled._told("toy", "node", "") == facts


def test_what_is_too_much_is_not_settled_either(monkeypatch):
    """A route of an earlier start lies beside those that are wanted, until it goes."""
    routes = iter([["route kept", "route of old"], ["route kept"]])

    def told(lab: str, name: str, script: str) -> frozenset[str]:
        return frozenset(next(routes, ["route kept"]) if "route" in script else [])

    monkeypatch.setattr(settled, "_told", told)
    settled.wait("toy", {"leaf": ["route kept"]}, limit_s=60)
    assert not [*routes]


@pytest.mark.instances(keep=1, of="what a kept lab is once it is started")
@pytest.mark.lab
def test_what_cannot_be_kept_or_started_is_refused(two):
    one = two[0].lab
    with pytest.raises(RailbedError, match="was started from a kept one"):
        kept.keep(one, KEY)
    with pytest.raises(RailbedError, match="is up"):
        kept.start(kept_lab().kept, one)
    name = lab_name("kthr")
    with pytest.raises(RailbedError, match="is not up"):
        kept.keep(name, KEY)
    record = LabPaths(name).state / "record.sqlite"
    record.parent.mkdir(parents=True)
    record.write_text("of somebody")
    try:
        with pytest.raises(RailbedError, match="has a record of its own"):
            kept.start(kept_lab().kept, name)
        assert record.read_text() == "of somebody"
    finally:
        forget(name)
