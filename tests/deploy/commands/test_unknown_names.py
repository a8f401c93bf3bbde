"""A name that nobody has: exit 2, and the one that was meant; of every option that takes a name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import typer

from deploy.commands.main import app
from deploy.lab import host, lab
from deploy.lab.spec import MachineSpec
from deploy.record.runs import RECORD
from inventory.load.site import site_folder
from tests.deploy import told_runs
from tests.deploy.command_line import railbed
from tests.inventory.own_sites import pod, write

Key = tuple[str, str]

# Where NAME stands the near miss goes; SITE has twelve nodes, three runs of the lab are on record.
NAMES: dict[Key, tuple[str, str, str]] = {
    ("accept", "switches"): (
        "accept NAME --site SITE --section qos --reason x", "leaf-p01-r0", "'leaf-p1-r0'",
    ),
    ("accept", "section"): (
        "accept leaf-p1-r0 --site SITE --section NAME --reason x", "routr", "'router'",
    ),
    ("apply", "only"): ("apply --site SITE --only NAME", "node", "'nodes'"),
    ("asbuilt import", "maker"): (
        "asbuilt import FILE --site SITE --as NAME", "del-omnia", "'dell-omnia'",
    ),
    ("asbuilt learn", "maker"): (
        "asbuilt learn --site SITE --leases FILE --manifest FILE --as NAME",
        "hpe-crey",
        "'hpe-cray'",
    ),
    ("asbuilt import", "columns"): (
        "asbuilt import MANIFEST --site SITE --columns serial=S/N,name=Host,NAME=MAC",
        "managment",
        "'management'",
    ),
    ("audit", "explain"): ("audit --explain NAME", "mtu-end", "'mtu-ends'"),
    ("backup", "device"): ("backup --site SITE --device NAME", "leaf-p01-r0", "'leaf-p1-r0'"),
    ("bios", "nodes"): ("bios NAME --site SITE", "node-p1-1", "'node-p1-01'"),
    ("bios", "at"): ("bios --site SITE --at NAME=localhost", "node-p1-1", "'node-p1-01'"),
    ("demo", "dialect"): ("demo --dialect NAME", "eoss", "'eos'"),
    ("drift", "limit"): ("drift --site SITE --limit NAME", "node-p1-1", "'node-p1-01'"),
    ("enroll", "devices"): ("enroll NAME --site SITE", "node-p1-1", "'node-p1-01'"),
    ("enroll", "keys"): ("enroll --site SITE --keys NAME=FILE", "node-p1-1", "'node-p1-01'"),
    ("history", "check"): ("history --lab lab --check NAME", "bww", "'bw'"),
    ("import netbox", "port"): (
        "import netbox --site SITE --url http://127.0.0.1:9 --port iDRAC=NAME", "bcm", "'bmc'",
    ),
    ("init", "node_profile"): ("init NEW --gpus 8 --node-profile NAME", "hgxh100", "'hgx-h100'"),
    ("init", "switch_profile"): (
        "init NEW --gpus 8 --node-profile hgx-h100 --switch-profile NAME",
        "sn5600-sonik",
        "'sn5600-sonic'",
    ),
    ("init", "dialect"): (
        "init NEW --gpus 8 --node-profile hgx-h100 --dialect NAME", "sonik", "'sonic'",
    ),
    ("lab restart", "machine"): ("lab restart NAME --name lab", "leaf-p1-r00", "'leaf-p1-r0'"),
    ("lab shell", "machine"): ("lab shell NAME --name lab", "leafp1-r0", "'leaf-p1-r0'"),
    ("lab up", "kind"): ("lab up --name lab --kind NAME", "nspwan", "'nspawn'"),
    ("node", "name"): ("node NAME --site SITE", "node-p1-1", "'node-p1-01'"),
    ("node", "from_evidence"): (
        "node node-p1-01 --site SITE --from-evidence NAME=FILE", "node-p1-1", "'node-p1-01'",
    ),
    ("plan", "device"): ("plan --site SITE --device NAME", "nod-p1-1", "'node-p1-01'"),
    ("plan", "domain"): ("plan --site SITE --domain NAME", "leaf:leaf-p1-r00", "'leaf:leaf-p1-r0'"),
    ("plan", "only"): ("plan --site SITE -o NEW --only NAME", "switchs", "'switches'"),
    ("push-trial", "device"): ("push-trial NAME --site SITE --yes", "leaf-p01-r0", "'leaf-p1-r0'"),
    ("rehearse", "only"): (
        "rehearse --site SITE --slice NAME --dry-run", "node-p1-1", "'node-p1-01'",
    ),
    ("render", "device"): ("render --site SITE --device NAME", "leaf-p01-r0", "'leaf-p1-r0'"),
    ("render", "tier"): ("render --site SITE --tier NAME", "spines", "'spine'"),
    ("rollback", "device"): (
        "rollback 1 --site SITE --device NAME", "leaf-p01-r0", "'leaf-p1-r0'",
    ),
    ("validate", "soak"): ("validate --site SITE --soak NAME", "acceptanc", "'acceptance'"),
    ("validate", "from_evidence"): (
        "validate --site SITE --from-evidence NAME=FILE", "node-p1-1", "'node-p1-01'",
    ),
}  # fmt: skip
# Numbers of runs and stages: no number is guessed, those there are are named.
NUMBERS: dict[Key, tuple[str, str]] = {
    ("bisect", "run_a"): ("bisect 7 3 --lab lab", "runs are 1 to 3"),
    ("bisect", "run_b"): ("bisect 1 7 --lab lab", "runs are 1 to 3"),
    ("compare", "run_a"): ("compare 7 3 --lab lab", "runs are 1 to 3"),
    ("compare", "run_b"): ("compare 1 7 --lab lab", "runs are 1 to 3"),
    ("report", "run"): ("report --run 7 --lab lab", "runs are 1 to 3"),
    ("rollback", "run"): ("rollback 7 --lab lab", "runs are 1 to 3"),
    ("runs", "timing"): ("runs --timing 7 --lab lab", "runs are 1 to 3"),
    ("validate", "only"): ("validate --only 51 --lab lab", "one of 45, 50, 60"),
    ("validate", "through"): ("validate --through 500 --lab lab", "stages are 10, 15"),
}
FREE: dict[Key, str] = {
    ("accept", "reason"): "why, in a person's words",
    ("apply", "parallel"): "a count",
    ("asbuilt learn", "columns"): "the columns of serial numbers alone are used",
    ("backup", "keep"): "a count",
    ("demo", "lab"): "a lab that is made",
    ("import netbox", "netbox_site"): "the NetBox's own, which refuses it",
    ("import netbox", "token"): "a reference",
    ("import netbox", "url"): "an address",
    ("init", "gpus"): "a count",
    ("init", "name"): "a name that is made",
    ("init", "nodes"): "a count",
    ("lab shell", "command"): "a command",
    ("lab up", "rate"): "a rate",
    ("packages import", "key"): "a fingerprint",
    ("profile", "management_port"): "what no output says",
    ("profile", "name"): "a name that is made",
    ("rehearse", "change"): "a folder of a site, which is opened as one",
    ("rehearse", "machines"): "a count",
    ("rehearse", "name"): "a name that is made",
    ("rehearse", "nodes"): "a count",
    ("rehearse", "pods"): "a count",
    ("rehearse", "spines"): "a count",
    ("rollback", "parallel"): "a count",
    ("schedule", "at"): "a time of the day",
    ("schedule", "on_failure"): "a unit of the machine's own",
    ("validate", "matchings"): "a count",
    ("validate", "seed"): "a number drawn",
}


def parameters(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[Key, Any]]:
    """Every parameter of every verb that takes words or whole numbers; choices say their own."""
    for name, one in getattr(command, "commands", {}).items():
        yield from parameters(one, (*path, name))
    for one in [] if hasattr(command, "commands") else command.params:
        if one.type_descriptor.annotation in (str, int, list[str], list[int]):
            yield (" ".join(path), one.name), one


FOUND = dict(parameters(typer.main.get_command(app)))
SITES = sorted(key for key in FOUND if key[1] in ("site", "times_of"))
# The lab's own name: it is made by `up`, and of one that is not up all that is said is how.
LABS = {key for key in FOUND if key[1] == "lab" or (key[0].startswith("lab ") and key[1] == "name")}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    fabric = pod()
    fabric["versions"] = {"bios": {"hgx-h100": {"BootMode": "Uefi"}}}
    return write(fabric, tmp_path_factory.mktemp("site") / "own")


def test_every_name_that_is_asked_for_is_tried():
    known = {*NAMES, *NUMBERS, *FREE, *SITES, *LABS}
    assert set(FOUND) == known


def filled(line: str, word: str, site: Path, folder: Path) -> list[str]:
    """The words of a command line."""
    file, manifest = folder / "file", folder / "manifest.csv"
    file.write_text("1 02:52:42:09:00:01 10.0.0.1 * *\n")
    manifest.write_text("Host,S/N,MAC\nnode-p1-01,S1,02:52:42:09:00:01\n")
    for mark, value in {
        "NAME": word, "SITE": site, "FILE": file, "MANIFEST": manifest, "NEW": folder / "new",
    }.items():  # fmt: skip
        line = line.replace(mark, str(value))
    return line.split()


def refused(*arguments: str) -> str:
    """What is said of bad input: one or more sentences on stderr, and exit 2."""
    said = railbed(*arguments)
    assert said.returncode == 2, said
    assert "Traceback" not in said.stderr
    assert said.stdout == ""
    return " ".join(said.stderr.split())


@pytest.fixture
def runs_on_record(tmp_path, monkeypatch):
    """Three runs of the lab, and the lab's machines by name, without any machine."""
    plan, record, _ = told_runs.slow_lab_run(tmp_path)
    for _ in range(2):
        told_runs.keep(record, plan, (), (50,), "pass")
    record.close()
    assert (tmp_path / RECORD).is_file()
    monkeypatch.setattr("deploy.lab.paths.LabPaths.state", tmp_path)
    monkeypatch.setattr(host, "require_root", lambda: None)
    monkeypatch.setattr(lab, "is_up", lambda _: True)
    (tmp_path / "access.json").write_text("{}")
    files = SimpleNamespace(config=tmp_path / "config", known_hosts=tmp_path / "known_hosts")
    monkeypatch.setattr("deploy.session.prepare", lambda *_: files)
    return tmp_path


@pytest.mark.instances(keep=5)
@pytest.mark.parametrize("key", NAMES, ids=" ".join)
def test_a_near_miss_is_told_what_was_meant(key, site, runs_on_record, tmp_path, monkeypatch):
    """Numbering aware: `node-p1-1` is `node-p1-01`, never another node."""
    line, word, meant = NAMES[key]
    machines = [MachineSpec(one, "node") for one in ("leaf-p1-r0", "leaf-p1-r1", "spine1")]
    monkeypatch.setattr(lab, "load", lambda _: type("Spec", (), {"machines": machines}))
    said = refused(*filled(line, word, site, tmp_path))
    assert f"did you mean {meant}" in said, said


@pytest.mark.parametrize("key", NUMBERS, ids=" ".join)
def test_of_numbers_those_there_are_are_named(key, site, runs_on_record, tmp_path):
    line, known = NUMBERS[key]
    assert known in refused(*filled(line, "", site, tmp_path))


@pytest.mark.parametrize("key", SITES, ids=" ".join)
def test_a_site_that_nobody_has(key, tmp_path):
    """Whatever else a verb is asked, its site comes first."""
    needed = {
        "accept": ["spine1", "--section", "bgp", "--reason", "x"],
        "asbuilt import": ["FILE", "--as", "dell-omnia"],
        "asbuilt learn": ["--leases", "FILE"],
        "import csv": ["."],
        "import netbox": ["--url", "http://127.0.0.1:9"],
        "node": ["node-p1-01"],
        "packages export": ["NEW"],
        "packages import": ["NEW"],
        "push-trial": ["spine1"],
        "rollback": ["1"],
        "compare": ["1", "2"],
        "bisect": ["1", "2"],
    }
    words = filled(" ".join(needed.get(key[0], [])), "", site_folder("lab"), tmp_path)
    option = f"--{key[1].replace('_', '-')}"
    said = refused(*key[0].split(), *words, option, "labb")
    assert "did you mean 'lab'" in said, said
