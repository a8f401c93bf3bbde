"""`railbed profile`: a profile on stdout, what is open or wrong on stderr, and the exit code."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from deploy.commands.main import app
from deploy.commands.profile import profile_of
from deploy.errors import RailbedError
from inventory.load.yaml_positions import parse

EVIDENCE = Path(__file__).parents[2] / "evidence" / "golden"


@pytest.mark.parametrize(
    ("node", "said", "exit_code"),
    [
        ("eight_gpus", "", 0),
        ("two_planes", "", 0),
        ("across_sockets", "GPU 1 has no NIC near it", 1),
        ("wrong_numa", "on NUMA node 0 serves GPU 1", 1),
        ("two_cards", "equally near", 3),
        ("shared_switches", "the rate of mlx5_3", 3),
    ],
)
def test_the_exit_code_says_whether_it_is_whole(node: str, said: str, exit_code: int):
    done = CliRunner().invoke(
        app, ["profile", str(EVIDENCE / node), "--management-port", "eno3", "--name", "h100"]
    )
    assert done.exit_code == exit_code
    assert said in done.stderr
    assert bool(done.stderr) == bool(exit_code)
    marked = parse(done.stdout, "nodes.yml")
    assert not marked.problems
    assert list(marked.value) == ["h100"]  # type: ignore[call-overload]


def test_the_management_port_is_asked_for():
    done = CliRunner().invoke(app, ["profile", str(EVIDENCE / "eight_gpus")])
    assert done.exit_code == 3
    assert "--management-port" in done.stderr
    assert "management_port:" not in done.stdout


def test_a_folder_without_evidence_says_what_to_run(tmp_path: Path):
    with pytest.raises(RailbedError, match="holds no evidence") as raised:
        profile_of(tmp_path, "x", "")
    assert "nvidia-smi topo -m > nvidia-smi-topo-m.txt" in raised.value.hint


@pytest.mark.parametrize(("name", "port"), [("A b", "eno1"), ("x", "a b"), ("x", "y" * 16)])
def test_names_that_no_profile_can_have(tmp_path: Path, name: str, port: str):
    with pytest.raises(RailbedError):
        profile_of(tmp_path, name, port)


def test_the_folder_names_the_source_and_nothing_else(tmp_path: Path):
    """A folder may have any name; a profile's source must stay one plain line."""
    folder = tmp_path / ("{{ a: " + "\N{SNOWMAN}" * 70)
    folder.mkdir()
    (folder / "lspci.txt").write_text((EVIDENCE / "eight_gpus" / "lspci.txt").read_text())
    origin = profile_of(folder, "x", "eno3").origin
    assert len(f"railbed profile: {origin}") <= 200
    assert origin.isascii()
    assert "{" not in origin
