"""`railbed diff` of folders that are nobody's we know, and of configurations that are cut off."""

from __future__ import annotations

import random
from contextlib import suppress
from pathlib import Path

import pytest

from deploy.errors import RailbedError
from deploy.switches.compare import compare, exit_status
from switch_configs import dialects, places_of, render
from switch_configs.errors import DialectError
from tests.secrets import PLANTED, planted
from tests.switch_configs.sites import small

LEAF = "leaf-p1-r0"
LONE = {"eos": ".cfg", "nxos": ".cfg", "cumulus": ".yaml", "sonic": ".json", "linux_frr": ".conf"}
MAIN = {"linux_frr": "/etc/frr/frr.conf", "sonic": "/etc/sonic/config_db.json"}


def text_of(name: str) -> str:
    files = {one.path: one.text for one in render(small(name), LEAF).files}
    return files[MAIN.get(name, next(iter(files)))]


def saved(folder: Path, **texts: str) -> Path:
    folder.mkdir()
    for name, text in texts.items():
        stem, _, suffix = name.rpartition("_")
        (folder / f"{stem}.{suffix}").write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize("name", dialects())
def test_a_system_knows_its_own_text_and_no_other_s(name):
    known = places_of(text_of(name))
    assert list(known) == [name]
    assert known[name] in {one.path for one in render(small(name), LEAF).files}
    assert places_of("") == places_of("a word\n") == {}


@pytest.mark.parametrize("name", dialects())
def test_two_folders_of_any_switches_are_compared_by_their_names(name, tmp_path):
    """The site is another system's, and knows none of them."""
    plan = small("eos" if name != "eos" else "nxos")
    text = text_of(name)
    changed = text.replace("9216", "1500").replace("9214", "1500").replace("4200010000", "65000")
    assert changed != text
    suffix = LONE[name].lstrip(".")
    same, other = f"gpu-leaf1_{suffix}", f"gpu-leaf2_{suffix}"
    old = saved(tmp_path / "old", **{same: text, other: text, "gone_cfg": text})
    new = saved(tmp_path / "new", **{same: text, other: changed, "strange_txt": "what is it\n"})
    found = {one.device: one for one in compare(plan, old, new)}
    assert sorted(found) == ["gone", "gpu-leaf1", "gpu-leaf2", "strange"]
    assert (found["gpu-leaf1"].changes, found["gpu-leaf1"].unseen) == ((), ())
    assert found["gpu-leaf2"].changes
    assert found["gone"].unseen == ("not in the second folder",)
    assert found["strange"].unseen == ("not in the first folder",)
    assert exit_status(tuple(found.values())) == 1


def test_what_no_system_knows_or_two_know_differently_is_no_agreement(tmp_path):
    plan = small("eos")
    old = saved(tmp_path / "old", a_cfg="who\n", b_cfg=text_of("eos"))
    new = saved(tmp_path / "new", a_cfg="who\n", b_cfg=text_of("nxos"))
    a, b = compare(plan, old, new)
    assert a.unseen == ("of no system that is known, in the first folder",)
    assert b.unseen == ("lines, as of two systems: eos, then nxos",)
    assert exit_status((a,)) == 3
    assert exit_status((a, b)) == 1
    assert any(one.what.startswith("IP MTU: ") or one.path == "forwarding" for one in b.means)


def test_a_stranger_may_have_the_name_of_one_of_ours(tmp_path):
    plan = small("linux_frr")
    (name, *_) = plan.switch
    old = saved(tmp_path / "old", **{f"{name}_cfg": text_of("eos")})
    new = saved(tmp_path / "new", **{f"{name}_cfg": text_of("eos") + "ip routing\n"})
    (found,) = compare(plan, old, new)
    assert found.changes


def test_two_files_of_one_name_are_refused(tmp_path):
    old = saved(tmp_path / "old", a_cfg="", a_conf="")
    with pytest.raises(RailbedError, match=r"a\.cfg and a\.conf are both of a"):
        compare(small("eos"), old, old)


@pytest.mark.parametrize("name", dialects())
def test_secrets_of_two_foreign_folders_are_not_shown(name, tmp_path):
    folders = []
    for at, held in (
        ("old", render(small(name), LEAF)),
        ("new", planted(render(small(name), LEAF))),
    ):
        for file in held.files:
            path = tmp_path / at / "gpu-leaf1" / file.path.lstrip("/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(file.text, encoding="utf-8")
        folders.append(tmp_path / at)
    found = compare(small("eos"), *folders)
    assert found[0].changes
    assert [kind for kind, secret in PLANTED.items() if secret in repr(found)] == []


TWICE = "vlan Xq9\n   name a\nvlan Xq9\n   name b\n"


@pytest.mark.parametrize("more", ["banner login\nXq9hunter\n", "banner motd ^Xq9\nx\n", TWICE])
@pytest.mark.parametrize("name", ["eos", "nxos"])
@pytest.mark.parametrize("is_ours", [True, False])
def test_what_hier_config_cannot_read_is_said_with_file_and_line(name, more, is_ours, tmp_path):
    plan = small(name if is_ours else "cumulus")
    text = text_of(name).replace("end\n", "")
    device = LEAF if is_ours else "gpu-leaf1"
    old = saved(tmp_path / "old", **{f"{device}_cfg": text + more})
    new = None if is_ours else saved(tmp_path / "new", **{f"{device}_cfg": text})
    # Of a section that is there twice, the first line that makes it one.
    line = len((text + more).splitlines()) - (0 if more.startswith("vlan") else 1)
    with pytest.raises(RailbedError) as refused:
        compare(plan, old, new)
    assert f"{device}.cfg:{line}: " in refused.value.message
    assert "Xq9" not in str(refused.value)


@pytest.mark.parametrize("name", dialects())
def test_a_configuration_that_is_cut_anywhere_is_compared_or_refused_in_a_sentence(name, tmp_path):
    """Whatever is left of it, with a banner and a line of nobody in it."""
    plan, draw = small(name), random.Random(5)
    files = render(plan, LEAF).files
    odd = "banner login\nhello\nEOF\nbanner motd ^\nx\n^\nip routing\nip routing\nvlan 1-2-3\n"
    for number in range(12):
        where = tmp_path / str(number)
        for file in files:
            path = where / LEAF / file.path.lstrip("/")
            path.parent.mkdir(parents=True, exist_ok=True)
            at, until = sorted(draw.choices(range(len(file.text)), k=2))
            more = odd[: draw.randrange(len(odd))] if draw.random() < 0.7 else ""
            path.write_text(file.text[:at] + more + file.text[at:until], encoding="utf-8")
        for new in (None, where):
            # Any other error would be a traceback.
            with suppress(RailbedError, DialectError):
                assert compare(plan, where, new)
