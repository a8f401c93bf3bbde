"""SONiC's own validator: what is asked of it and what is made of its answers.

The stand-in has the calls of `SonicYang` (sonic-buildimage, src/sonic-yang-mgmt/sonic_yang.py and
sonic_yang_ext.py: loadYangModel, loadData, validate_data_tree, tablesWithOutYang, confDbYangMap)
and the words that the real one said of the same fault. The real one took every file of the small
site, pod-256 and a sample of superpod-10k, with the models of 202405 to 202511 and of master.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from deploy.switches import syntax_run
from deploy.switches.sonic_run import check_all
from switch_configs.intent import ConfigFile, Rendered

STAND_IN = """
from pathlib import Path

class SonicYang:
    def __init__(self, folder, debug=False, print_log_enabled=True):
        self.folder, self.confDbYangMap, self.tablesWithOutYang = Path(folder), {}, {}

    def loadYangModel(self):
        self.confDbYangMap = {one.stem: {} for one in self.folder.glob("*.yang")}

    def loadData(self, configdbJson):
        self.tablesWithOutYang = {t: v for t, v in configdbJson.items() if t != "PORT"}
        self.data = configdbJson

    def validate_data_tree(self):
        for port, row in self.data.get("PORT", {}).items():
            if int(row["mtu"]) > 65535:
                raise Exception(f'Value "{row["mtu"]}" is out of type uint16 min/max bounds.')
            if ":" in row.get("key", ""):
                raise Exception("Invalid password")
"""


@pytest.fixture
def models(tmp_path, monkeypatch):
    (tmp_path / "sonic_yang.py").write_text(STAND_IN)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    folder = tmp_path / "yang-models"
    folder.mkdir()
    (folder / "sonic-port.yang").write_text("")
    return folder


def device(name: str, text: str) -> Rendered:
    file = ConfigFile("/etc/sonic/config_db.json", text, "root", "root", "0644", "reload")
    return Rendered(name, "sonic", (replace(file, path="/etc/sonic/frr/frr.conf"), file))


def test_each_device_gets_its_own_complaint(models):
    good = device(
        "leaf1", '{"PORT": {"Ethernet0": {"mtu": "9216", "key": "<<secret:tacacs_key>>"}}}'
    )
    large = device("leaf2", '{"PORT": {"Ethernet0": {"mtu": "92160"}}}')
    alien = device("leaf3", '{"PORTS": {}}')
    broken = device("leaf4", "{")
    said = check_all([good, large, alien, broken], models)
    assert sorted(said) == ["leaf2", "leaf3", "leaf4"]
    assert said["leaf2"] == (
        '/etc/sonic/config_db.json: Value "92160" is out of type uint16 min/max bounds.',
    )
    assert said["leaf3"] == ("/etc/sonic/config_db.json: no model for PORTS",)
    assert "Expecting property name" in said["leaf4"][0]


def test_nobody_asked_is_no_complaint(models):
    assert check_all([device("leaf1", "{")], None) == {}
    assert check_all([], models) == {}


@pytest.mark.parametrize("what", ["no module", "no models"])
def test_no_answer_is_a_complaint_of_every_device(models, monkeypatch, what):
    if what == "no module":
        monkeypatch.setenv("PYTHONPATH", "")
    else:
        (models / "sonic-port.yang").unlink()
    said = check_all([device("leaf1", "{}"), device("leaf2", "{}")], models)
    assert sorted(said) == ["leaf1", "leaf2"]
    words = said["leaf1"][0]
    assert words.startswith(
        "/etc/sonic/config_db.json: not checked: SONiC's validator gave no answer: "
    )
    assert ("sonic_yang" if what == "no module" else "no YANG models are in") in words


def test_what_nobody_judged_is_not_called_wrong(models, monkeypatch):
    monkeypatch.setattr(syntax_run, "_complaints", lambda group: {one.device: () for one in group})
    wrong = device("leaf1", '{"PORT": {"Ethernet0": {"mtu": "92160"}}}')
    said = syntax_run.check_programs([wrong], syntax_run.Programs(models))["leaf1"]
    assert "uint16" in said.wrong[0]
    assert said.unproved == ()
    said = syntax_run.check_programs([wrong], syntax_run.Programs(models / "none"))["leaf1"]
    assert said.wrong == ()
    assert "gave no answer" in said.unproved[0]
