"""The operations of the pyinfra parts, with their commands run here for real."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from pyinfra.api import FileUploadCommand

from roles import resources
from roles.resources import Wanted

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="files of the roles are root's")
Do = Callable[..., list[str]]


def shell(command: str) -> list[str]:
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=30)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.fixture
def do(monkeypatch: pytest.MonkeyPatch) -> Do:
    """Run an operation as pyinfra would on a host that is this machine; returns its commands."""

    def fact(kind: Any, **arguments: Any) -> Any:
        one = kind()
        return one.process(shell(str(one.command(**arguments))))

    monkeypatch.setattr(resources, "host", SimpleNamespace(get_fact=fact, noop=lambda _: None))

    def run(operation: Any, **arguments: Any) -> list[str]:
        return list(_run(operation._inner(**arguments)))

    return run


def _run(commands: Iterator[Any]) -> Iterator[str]:
    for one in commands:
        if isinstance(one, FileUploadCommand):
            assert not isinstance(one.src, str)
            Path(one.dest).write_text(one.src.read())
        else:
            shell(str(one))
            yield str(one)


def stat(path: Path) -> tuple[int, int, int, int]:
    found = path.stat()
    return found.st_mode & 0o7777, found.st_uid, found.st_ino, found.st_mtime_ns


@as_root
def test_a_file_is_put_in_place_once(do, tmp_path):
    path = tmp_path / "new folder" / "file"
    files = [Wanted(str(path), "one\n", "0640")]
    assert do(resources.in_place, files=files)
    assert path.read_text() == "one\n"
    assert stat(path)[:2] == (0o640, 0)
    before = stat(path)
    assert do(resources.in_place, files=files) == []
    assert stat(path) == before
    assert list(path.parent.iterdir()) == [path]


@as_root
def test_other_bytes_are_replaced_and_never_half_written(do, tmp_path):
    path = tmp_path / "file"
    path.write_text("old\n")
    before = stat(path)
    with path.open() as held:
        assert do(resources.in_place, files=[Wanted(str(path), "new\n")])
        # Whoever has it open still reads the old file, whole: it was replaced, not rewritten.
        assert held.read() == "old\n"
    assert path.read_text() == "new\n"
    assert stat(path)[2] != before[2]


@as_root
def test_another_mode_or_owner_is_mended_without_a_new_file(do, tmp_path):
    path = tmp_path / "file"
    path.write_text("one\n")
    path.chmod(0o666)
    os.chown(path, 1, 1)
    before = stat(path)
    assert do(resources.in_place, files=[Wanted(str(path), "one\n")])
    assert stat(path) == (0o644, 0, *before[2:])


@as_root
def test_a_link_is_replaced_by_the_file(do, tmp_path):
    path, other = tmp_path / "file", tmp_path / "other"
    other.write_text("one\n")
    path.symlink_to(other)
    assert do(resources.in_place, files=[Wanted(str(path), "one\n")])
    assert not path.is_symlink()
    assert path.read_text() == "one\n"


@as_root
def test_what_does_not_validate_is_not_put_in_place(do, tmp_path):
    path = tmp_path / "file"
    path.write_text("good\n")
    bad, good = (
        Wanted(str(path), text, validate="grep -q good %s") for text in ("bad\n", "good too\n")
    )
    with pytest.raises(AssertionError):
        do(resources.in_place, files=[bad])
    assert path.read_text() == "good\n"
    assert do(resources.in_place, files=[good])
    assert path.read_text() == "good too\n"


@as_root
def test_folders_are_made_and_mended(do, tmp_path):
    folders = [str(tmp_path / "a"), str(tmp_path / "a" / "b")]
    assert len(do(resources.in_place, files=[], folders=folders)) == 2
    assert do(resources.in_place, files=[], folders=folders) == []
    (tmp_path / "a" / "b").chmod(0o777)
    assert len(do(resources.in_place, files=[], folders=folders)) == 1
    assert stat(tmp_path / "a" / "b")[0] == 0o755


def test_many_files_are_asked_for_in_one_command():
    """A name with a space, a missing file and a folder confuse nothing."""
    assert "for f in /a '/b c'; do" in resources.FileStamps().command(["/a", "/b c"])


@as_root
def test_a_file_that_is_not_there_has_no_line(tmp_path):
    one = tmp_path / "with space"
    one.write_text("x")
    one.chmod(0o600)
    paths = [str(tmp_path / "none"), str(one), str(tmp_path)]
    fact = resources.FileStamps()
    found = fact.process(shell(fact.command(paths)))
    digest = subprocess.run(["sha256sum", one], capture_output=True, text=True).stdout.split()[0]
    assert found == {str(one): f"600 root root {digest}"}


@pytest.mark.parametrize(("word", "commands"), [("no", []), ("yes", ["systemctl daemon-reload"])])
def test_units_that_anybody_touched_are_read_again(monkeypatch, word, commands):
    lines = ["NeedDaemonReload=no", "", f"NeedDaemonReload={word}"]
    told = resources.UnreadUnits().process(lines)
    fake = SimpleNamespace(get_fact=lambda *_, **__: told, noop=lambda _: None)
    monkeypatch.setattr(resources, "host", fake)
    made = resources.units_as_on_disk._inner(units=["a.service", "b.service"])
    assert [str(one) for one in made] == commands


def test_arguments_that_are_not_staged_are_staged_again(do):
    assert do(resources.staged, asks="true", unit="no-such") == []
    for asks in ("false", "/no/such/program staged"):
        with pytest.raises(AssertionError):  # it asked this machine's systemd to restart the unit
            do(resources.staged, asks=asks, unit="no-such")


@as_root
@pytest.mark.parametrize("is_link", [True, False])
def test_a_link_or_a_file_for_a_folder_is_replaced_by_the_folder(do, tmp_path, is_link):
    """`install -d` would follow the link, and drift would find it for ever."""
    path, other = tmp_path / "a", tmp_path / "other"
    other.mkdir()
    (other / "kept").write_text("x")
    path.symlink_to(other) if is_link else path.write_text("x")
    assert len(do(resources.in_place, files=[], folders=[str(path)])) == 1
    assert path.is_dir()
    assert not path.is_symlink()
    assert (other / "kept").exists()
    assert do(resources.in_place, files=[], folders=[str(path)]) == []


def test_kernel_parameters_are_compared_word_by_word(monkeypatch):
    """The kernel prints a list with tabs; pyinfra's fact makes numbers of words."""
    running = {"net.ipv4.tcp_rmem": [4096, 131072, 16777216], "net.ipv4.tcp_mtu_probing": 1}
    monkeypatch.setattr(
        resources, "host", SimpleNamespace(get_fact=lambda *_, **__: running, noop=lambda _: None)
    )
    wanted: dict[str, object] = {
        "net.ipv4.tcp_rmem": "4096 131072 16777216",
        "net.ipv4.tcp_mtu_probing": 1,
    }
    same = resources.kernel_parameters._inner(values=wanted, path="/etc/x.conf")
    assert list(same) == []
    for name, value in (("net.ipv4.tcp_mtu_probing", 2), ("net.ipv4.not_there", 1)):
        other = resources.kernel_parameters._inner(values={**wanted, name: value}, path="/etc/x")
        assert [str(one) for one in other] == ["sysctl --quiet --load /etc/x"]


def test_kernel_parameters_of_a_port_that_is_not_there_are_left_to_udev(monkeypatch):
    """A NIC that gets its name at the next boot has none yet; those of others are compared."""
    there, absent = "net.ipv4.conf.rail1.rp_filter", "net.ipv4.conf.rail0.rp_filter"
    monkeypatch.setattr(
        resources,
        "host",
        SimpleNamespace(get_fact=lambda *_, **__: {there: 2}, noop=lambda _: None),
    )
    for wanted, commands in ((2, []), (1, ["sysctl --quiet --ignore --load /etc/x"])):
        values: dict[str, object] = {there: wanted, absent: 2}
        done = resources.kernel_parameters._inner(values=values, path="/etc/x", is_for_ports=True)
        assert [str(one) for one in done] == commands


@pytest.mark.parametrize(
    "tasks", ["kernel_tuning/tasks/main", "os_base/tasks/main", "roce_nic/tasks/network"]
)
def test_a_parameter_that_does_not_exist_ends_no_look_at_those_that_run(tasks):
    """sysctl ends with 255, or with 1 since procps 4: applying them says which is not there."""
    rows = yaml.safe_load((Path(resources.__file__).parent / f"{tasks}.yml").read_text())
    [look] = [one for one in rows if "sysctl" in str(one.get("ansible.builtin.command", ""))]
    assert look["failed_when"].endswith(".rc not in [0, 1, 255]")
