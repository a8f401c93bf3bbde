"""What FRR, ifupdown2, nftables and the kernel say of every render."""

from __future__ import annotations

from dataclasses import replace
from shutil import which

import pytest

from deploy.lab.machines.image import ensure_images
from deploy.switches import syntax_run
from switch_configs import render
from switch_configs.intent import Rendered
from tests.switch_configs.plans import all_plans, lab

BREAKS = [
    ("/etc/frr/frr.conf", "remote-as", "remoteas"),
    ("/etc/frr/frr.conf", "maximum-paths 2", "maximum-paths 9999"),
    ("/etc/frr/frr.conf", "bfd profile", "bfd prophile"),
    ("/etc/frr/daemons", '"-A 127.0.0.1"', '"-A 127.0.0.1'),
    ("/etc/network/interfaces", "mtu", "mtuu"),
    ("/etc/network/interfaces", "iface swp5", "ifacee swp5"),
    ("/etc/nftables.conf", "iifname", "iifnam"),
    ("/etc/nftables.conf", "    }\n", ""),
    ("/etc/sysctl.d/90-railbed.conf", "ip_forward", "ip_froward"),
]


def broken(path: str, old: str, new: str) -> Rendered:
    good = render(lab("unnumbered"), "leaf-p1-r0")
    files = tuple(
        replace(one, text=one.text.replace(old, new)) if one.path == path else one
        for one in good.files
    )
    assert files != good.files
    return replace(good, files=files)


@pytest.fixture(scope="module")
def _image() -> None:
    ensure_images(lambda _: None)


@pytest.mark.instances(keep=1, of="a switch's own programs accept our files")
@pytest.mark.instances(keep=1)
@pytest.mark.lab
@pytest.mark.usefixtures("_image")
@pytest.mark.parametrize("name", all_plans())
def test_the_switch_s_own_programs_accept_every_render(name):
    """vtysh -C, frr-reload.py --test, ifup -s, nft -c and sysctl accept every render."""
    plan = all_plans()[name]
    found = syntax_run.check_all([render(plan, switch) for switch in plan.switch])
    assert found == dict.fromkeys(plan.switch, ())


@pytest.mark.lab
@pytest.mark.usefixtures("_image")
@pytest.mark.parametrize(("path", "old", "new"), BREAKS)
def test_they_refuse_a_broken_file_by_name(path, old, new):
    """A file with one wrong word is refused, with its path, and only that file."""
    problems = syntax_run.check_syntax(broken(path, old, new))
    assert problems
    assert all(one.startswith(f"{path}: ") for one in problems)


def test_without_the_programs_nothing_passes(monkeypatch, tmp_path):
    """No image and no vtysh here: each file says that it was not checked."""
    monkeypatch.setattr(syntax_run, "image_lower", lambda: None)
    for tool in ("sed", "sh", "id"):
        (tmp_path / tool).symlink_to(which(tool) or "")
    monkeypatch.setenv("PATH", str(tmp_path))
    problems = syntax_run.check_syntax(render(lab("unnumbered"), "spine1"))
    assert "/etc/frr/frr.conf: not checked: there is no vtysh here" in problems
    assert any(one.startswith("/etc/network/interfaces: not checked") for one in problems)


def test_a_run_that_is_cut_off_is_no_pass(monkeypatch, tmp_path):
    monkeypatch.setattr(syntax_run, "image_lower", lambda: None)
    monkeypatch.setattr(syntax_run, "_HERE", tmp_path)
    (problem,) = syntax_run.check_syntax(render(lab("unnumbered"), "spine1"))
    assert problem.startswith("not checked: ")


def test_another_dialect_is_not_judged_by_frr():
    other = replace(render(lab("unnumbered"), "spine1"), dialect="elsewhere")
    (problem,) = syntax_run.check_syntax(other)
    assert problem == "not checked: no program here reads elsewhere"
