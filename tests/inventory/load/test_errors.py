"""Broken inventories as files: `tests/errors/<case>/` and exactly what is said about them."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from inventory import InventoryError, Problem, open_site
from inventory.load.files import label
from inventory.load.site import SITES, load, read
from inventory.model import Fabric
from inventory.rules.access.flows import FLOW_RULES
from inventory.rules.check import RULES
from inventory.rules.fabric.overrides import OVERRIDE_RULES
from inventory.rules.fabric.pools import POOL_RULES
from tests import broken

Rule = Callable[[Fabric], Iterator[Problem]]

MARK = "never-print-me"


@pytest.mark.parametrize("name", broken.NAMES)
def test_says_exactly(name, tmp_path):
    folder = broken.site(name, tmp_path)
    with pytest.raises(InventoryError) as raised:
        open_site(folder)
    found = str(raised.value).replace(f"{label(folder)}/", "")
    assert found.splitlines() == (folder / "expected.txt").read_text().splitlines()
    assert MARK not in found


def test_there_are_secrets_to_print():
    """Or the assertion above could not fail."""
    assert sum(MARK.encode() in broken.case(name)["fabric.yml"] for name in broken.NAMES) >= 2


def test_there_are_many_and_most_say_several_things_at_once():
    said = [broken.case(name)["expected.txt"] for name in broken.NAMES]
    several = [one for one in said if one.count(b"\n") > 1]
    assert len(said) >= 120
    assert len(several) >= 60


@pytest.mark.parametrize(
    "rule", [*RULES, *FLOW_RULES, *POOL_RULES, *OVERRIDE_RULES], ids=lambda one: one.__name__
)
def test_every_rule_bites_somewhere_and_not_in_the_lab(rule):
    assert any(list(rule(fabric)) for fabric in readable() if not list(_unusable(rule, fabric)))
    assert not list(rule(load("lab")))


@cache
def readable() -> tuple[Fabric, ...]:
    """The broken inventories that can be read: only a rule finds what is wrong with them."""
    with TemporaryDirectory() as folder:
        folders = [broken.site(name, Path(folder) / name) for name in broken.NAMES]
        return tuple(fabric for fabric, _ in map(read, folders) if fabric)


@pytest.fixture(scope="module", autouse=True)
def _forget() -> Iterator[None]:
    """Some are huge: other tests need not carry them."""
    yield
    readable.cache_clear()


def _unusable(rule: Rule, fabric: Fabric) -> Iterator[Problem]:
    """Rules for overrides count addresses, so they are asked only when the pools hold them."""
    if rule in OVERRIDE_RULES:
        for one in POOL_RULES:
            yield from one(fabric)


@pytest.mark.parametrize("name", ["labb", "nope/at/all", "", "a\0b", "x" * 5000])
def test_no_such_site(name):
    with pytest.raises(InventoryError) as raised:
        open_site(name)
    assert len(raised.value.problems) in (1, 2)


def test_a_mistyped_site_gets_a_hint():
    with pytest.raises(InventoryError, match="did you mean 'lab'"):
        open_site("labb")


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A copy of the lab, to break."""
    for name in ("fabric.yml", "asbuilt.csv"):
        (tmp_path / name).write_bytes((SITES / "lab" / name).read_bytes())
    return tmp_path


@pytest.mark.parametrize(
    ("name", "size", "found"),
    [
        ("fabric.yml", 50 * 2**20, "52428800 bytes, expected at most 2097152 bytes"),
        ("profiles/nodes.yml", 50 * 2**20, "52428800 bytes, expected at most 2097152 bytes"),
        ("asbuilt.csv", 65 * 2**20, "68157440 bytes, expected at most 67108864 bytes"),
    ],
)
def test_files_of_many_megabytes_are_refused_unread(site, name, size, found):
    """Far less memory is ever held than such a file would take."""
    (site / name).parent.mkdir(exist_ok=True)
    with (site / name).open("wb") as file:
        file.truncate(size)
    tracemalloc.start()
    try:
        with pytest.raises(InventoryError, match=found):
            open_site(site)
        assert tracemalloc.get_traced_memory()[1] < 16 * 2**20
    finally:
        tracemalloc.stop()


def test_a_large_table_without_sense_says_each_line_and_ends(site):
    (site / "asbuilt.csv").write_text("device,port,mac,serial\n" + "x,y,z\n" * 20_000)
    with pytest.raises(InventoryError) as raised:
        open_site(site)
    assert len(raised.value.problems) == 20_000


@pytest.mark.parametrize("name", ["fabric.yml", "asbuilt.csv"])
def test_unreadable_files(site, name, monkeypatch):
    """Root may read everything, so the refusal of the kernel is played."""

    def refuse(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(path))

    reads = Path.read_bytes
    monkeypatch.setattr(
        Path, "read_bytes", lambda path: refuse(path) if path.name == name else reads(path)
    )
    with pytest.raises(InventoryError, match=f"{name}:1:1: found permission denied, expected a"):
        open_site(site)


@pytest.mark.parametrize("name", ["fabric.yml", "asbuilt.csv"])
def test_missing_files(site, name):
    (site / name).unlink()
    with pytest.raises(InventoryError, match=f"{name}:1:1: found no such file or directory"):
        open_site(site)
