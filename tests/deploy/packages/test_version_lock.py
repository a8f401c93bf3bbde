"""The lock as text reads back as itself, and a diff says what a refresh changes."""

from __future__ import annotations

from collections.abc import Mapping

from deploy.packages.apt_run import closed
from deploy.packages.fetch import lock_of
from deploy.packages.offered import Offered
from deploy.packages.version_lock import differences, text_of, wanted
from inventory.software.lock import VersionsFile

OLD = VersionsFile(
    os="debian-12",
    suite="bookworm",
    arch="amd64",
    resolved="2026-01-01",
    components={"time": ["chrony"], "net": ["b2", "a1"]},
    packages={},
)
A = Offered("1:2.0~rc1-3+b1", "0" * 64, 10, {"b2": "1.0"})
B = Offered("1.0", "1e10".ljust(64, "0"), 20, {})


def lock(**packages: Offered) -> VersionsFile:
    return lock_of(text_of(OLD, packages, "2026-11-21"))


def test_it_reads_back_as_written():
    """Also a digest that YAML would take for a number, and a version with an epoch."""
    found = lock(a1=A, b2=B)
    assert wanted(found) == {"a1", "b2", "chrony"}
    assert found.components == {"net": ["a1", "b2"], "time": ["chrony"]}
    assert found.packages["a1"].version == A.version
    assert found.packages["a1"].needs == {"b2": "1.0"}
    assert found.packages["b2"].sha256 == B.sha256
    assert found.instead_of is None


def test_the_same_packages_give_the_same_bytes():
    assert text_of(OLD, {"a1": A, "b2": B}, "x") == text_of(OLD, {"b2": B, "a1": A}, "x")


def test_differences_name_what_comes_goes_and_changes():
    newer = Offered("1.1", B.sha256, 20, {})
    other = Offered("1.0", "2" * 64, 20, {})
    assert differences(lock(a1=A, b2=B), lock(a1=A, b2=B)) == []
    assert differences(lock(a1=A, b2=B), lock(b2=newer, c3=B)) == [
        "- a1 1:2.0~rc1-3+b1",
        "~ b2 1.0 -> 1.1",
        "+ c3 1.0",
    ]
    assert differences(lock(b2=B), lock(b2=other)) == ["! b2 1.0: the same version, another file"]


def test_what_is_needed_exactly_comes_along_and_what_that_needs():
    """A minimal system has these too, at whatever version its image has."""
    mirror = {
        "base": Offered("1.0", "2" * 64, 5, {"core": "3.1"}),
        "core": Offered("3.1", "3" * 64, 5, {}),
    }
    asked: list[dict[str, str]] = []

    def describe(versions: Mapping[str, str]) -> dict[str, Offered]:
        asked.append(dict(versions))
        return {name: mirror[name] for name in versions}

    tool = Offered("1.0", "1" * 64, 5, {"base": "1.0"})
    found = closed({"tool": tool}, describe)
    assert found == {"tool": tool, **mirror}
    assert asked == [{"base": "1.0"}, {"core": "3.1"}]
    assert closed(found, describe) == found
