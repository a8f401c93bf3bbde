"""`railbed export`: one text on stdout or in one file, whole or not at all."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest
import yaml
from typer.testing import CliRunner, Result

from deploy.commands.export import app
from deploy.errors import RailbedError
from inventory import exports, open_site

KINDS = ("cables", "addresses", "lldp", "topology", "slurm-conf", "slurm-yaml", "containerlab")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments), catch_exceptions=False)


def refused(*arguments: str) -> str:
    with pytest.raises(RailbedError) as found:
        CliRunner().invoke(app, list(arguments), catch_exceptions=False, standalone_mode=False)
    return str(found.value)


def test_stdout_is_the_text_alone():
    assert run("cables").stdout == exports.cables_csv(open_site("lab"))
    assert run("bom", "--plane", "oob").stdout == exports.bom_csv(open_site("lab"), "oob")


@pytest.mark.parametrize("kind", [*KINDS, "bom", "schema"])
def test_a_file_gets_what_stdout_would(kind, tmp_path):
    out = tmp_path / "deep" / "file"
    done = run(kind, "--out", str(out))
    assert (done.exit_code, done.stdout) == (0, "")
    assert str(out) in done.stderr.replace("\n", "")
    assert out.read_text(encoding="utf-8") == run(kind).stdout
    assert list(out.parent.iterdir()) == [out]


def test_the_forms_are_what_they_say():
    ElementTree.fromstring(run("topology", "--plane", "oob").stdout)
    yaml.safe_load(run("slurm-yaml").stdout)
    yaml.safe_load(run("containerlab").stdout)
    for file in ("fabric", "nodes", "switches"):
        assert json.loads(run("schema", "--file", file).stdout)["title"] == f"{file}.yml"


def test_the_bill_is_a_table_for_people_too():
    said = run("bom", "--table").stdout
    assert "bill of materials" in said
    assert "lab-switch" in said


def test_what_cannot_be_done_is_said_and_nothing_written(tmp_path):
    out = tmp_path / "file"
    assert "no cables in the plane storage" in refused(
        "cables", "--plane", "storage", "--out", str(out)
    )
    assert "screen alone" in refused("bom", "--table", "--out", str(out))
    assert not out.exists()
    (tmp_path / "plain").write_text("")
    assert "cannot be written" in refused("lldp", "--out", str(tmp_path / "plain" / "x"))
    assert run("cables", "--plane", "nonsense").exit_code == 2
