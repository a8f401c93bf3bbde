"""`accept` on models of other systems: lines of NX-OS and FRR, rows of CONFIG_DB, NVUE's tree."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest

from deploy.backups import accept as accepting
from deploy.backups import drift as drifting
from deploy.backups.accept import Accepted, Wish, accept
from deploy.backups.drift import drift, exit_code
from deploy.backups.taken import take
from deploy.context import Context, no_journal
from deploy.errors import RailbedError
from deploy.switches.push_session import Whole
from inventory import InventoryError, open_site
from switch_configs import render
from switch_configs.linux_frr.files import FRR, SYSCTL
from tests.deploy.fake_nxos import FakeNxos
from tests.deploy.rollout import test_cumulus_rollout as cumulus
from tests.deploy.rollout import test_nxos_rollout as nxos
from tests.deploy.rollout import test_sonic_rollout as sonic
from tests.deploy.rollout.in_shells import in_shells
from tests.deploy.rollout.models import SNMP, Nobody, Site, behind_ssh, leaf_and_spine, made_quick

SPINE = "spine1"
WHY = "kept: asked for by the storage team"
FOREIGN = "Her1ng-44"


def fabric(site: Site[Any]) -> Path:
    return Path(site.context.site) / "fabric.yml"


def accepts(site: Site[Any], section: str, *, dry_run: bool = False) -> Accepted:
    return accept(site.context, Wish((SPINE,), section, WHY, dry_run))


def refused(site: Site[Any], section: str) -> str:
    before = fabric(site).read_bytes()
    with pytest.raises(RailbedError) as told:
        accepts(site, section)
    assert (told.value.exit_code, fabric(site).read_bytes()) == (1, before)
    assert FOREIGN not in str(told.value)
    return str(told.value)


def is_accepted(site: Site[Any], section: str) -> str:
    """What was typed is drift, then the site's, then nobody's work; the stanza."""
    take(site.context, [SPINE], 9)
    assert exit_code(drift(site.context, [SPINE])) == 1
    before = fabric(site).read_bytes()
    assert not accepts(site, section, dry_run=True).written
    assert fabric(site).read_bytes() == before
    done = accepts(site, section)
    assert (done.written, done.anew) == (True, False)
    site.context = replace(site.context, plan=open_site(site.context.site))
    assert exit_code(drift(site.context, [SPINE])) == 0
    again = accepts(site, section)
    assert (again.stanza, again.written) == ("", False)
    result = site.apply()
    assert (result.exit_code, result.changed) == (0, ()), result.outcome
    return done.stanza


def own_site(site: Site[Any], folder: Path, at: Path) -> None:
    shutil.copytree(folder, at / "site" / "mini")
    site.context = replace(site.context, site=str(at / "site" / "mini"))


# -- NX-OS --------------------------------------------------------------------------------


@contextmanager
def of_nxos(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site[FakeNxos]]:
    folder = tmp_path / "mini"
    plan = leaf_and_spine(folder, "nxos", "admin", more=SNMP)
    made_quick(monkeypatch)
    with behind_ssh(plan, tmp_path, FakeNxos, nxos.factory, nxos.shows) as site:
        site.applies()
        own_site(site, folder, tmp_path)
        yield site


def typed(site: Site[FakeNxos], line: str, after: str) -> None:
    store = site.switches[SPINE].store
    assert after in store.running, store.running
    store.running = store.startup = store.running.replace(after, f"{after}\n{line}", 1)


@pytest.mark.instances(keep=2, of="what was typed on a system becomes the site's")
def test_lines_of_nxos(tmp_path, monkeypatch):
    with of_nxos(tmp_path, monkeypatch) as site:
        store = site.switches[SPINE].store
        known = store.running

        def refuses(section: str, text: str, told: str) -> None:
            store.running = store.startup = text
            assert told in refused(site, section)
            store.running = store.startup = known

        port = "interface Ethernet1/1\n"
        other = block(known, port).replace("  mtu 9214", "  mtu 9000")
        changed = known.replace(block(known, port), other)
        refuses("interfaces", changed, "does not run: interface Ethernet1/1 mtu 9214")
        refuses("interfaces", changed.replace("  mtu 9000\n", ""), "does not run")
        refuses("interfaces", known.replace(port, f"{port}  vrf member x\n"), "contradict")
        secret = f"tacacs-server host 192.0.2.9 key 7 {FOREIGN}\n"
        first = known.index("tacacs-server host ")
        refuses("tacacs", known[:first] + secret + known[first:], "may hold a secret")
        login = f"username eve password 5 {FOREIGN}  role network-operator\n"
        refuses("system", known + login, "1 of users that nobody planned: the switch's own")
        typed(site, "ip host printer 192.0.2.10", f"hostname {SPINE}")
        typed(site, "  logging event port link-status", port.strip())
        assert "another order or form" in refused(site, "interfaces")
        assert accepts(site, "system").written, "the other is told, and no hindrance"
        site.context = replace(site.context, plan=open_site(site.context.site))
        assert "another order or form" in refused(site, "interfaces")
        store.running = store.startup = known
        typed(site, "ip host printer 192.0.2.10", f"hostname {SPINE}")
        typed(site, "  logging event port link-status", f"{port}{block(known, port)}".rstrip())
        assert '- "  logging event port link-status"' in is_accepted(site, "interfaces")


def block(text: str, head: str) -> str:
    """The lines below this one."""
    return "".join(
        takewhile(lambda line: line[0] == " ", text.partition(head)[2].splitlines(keepends=True))
    )


# -- SONiC --------------------------------------------------------------------------------


@pytest.mark.instances(keep=2, of="what was typed on a system becomes the site's")
@pytest.mark.skipif(os.geteuid() != 0, reason="files have owners")
def test_rows_of_config_db(tmp_path, monkeypatch):
    folder = tmp_path / "mini"
    plan = leaf_and_spine(folder, "sonic", "", 1, 4)
    with in_shells(plan, tmp_path, monkeypatch, sonic.started, sonic.says) as site:
        site.applies()
        own_site(site, folder, tmp_path)
        model = site.switches[SPINE]
        port = min(model.runs["PORT"])
        known = model.runs["PORT"][port]["mtu"]

        def hand(rows: dict[str, Any]) -> None:
            typed = f"echo '{json.dumps(rows)}' > /host/railbed/x"
            sonic.by_hand(model, f"{typed}; sonic-cfggen -j /host/railbed/x --write-to-db")
            sonic.by_hand(model, "rm -f /host/railbed/x; config save -y")

        hand({"PORT": {port: {"mtu": "1500"}}})
        assert (
            f"another value runs than is planned, which no raw line can say: PORT {port} mtu"
            in (refused(site, "ports"))
        )
        hand({"PORT": {port: {"mtu": known}}})
        hand({"STATIC_ROUTE": {"192.0.2.0/24": {"nexthop": "10.0.0.9"}}})
        stanza = is_accepted(site, "other")
        assert '- "            \\"nexthop\\": \\"10.0.0.9\\""' in stanza
        hand({"TACPLUS_SERVER": {"192.0.2.9": {"remark": FOREIGN}}})
        assert "may hold a secret" in refused(site, "servers")


# -- Cumulus Linux ------------------------------------------------------------------------


@pytest.mark.instances(keep=2, of="what was typed on a system becomes the site's")
def test_branches_of_nvue(tmp_path, monkeypatch):
    folder = tmp_path / "mini"
    plan = leaf_and_spine(folder, "cumulus", "cumulus", 1, 4)
    with in_shells(plan, tmp_path, monkeypatch, cumulus.started, cumulus.says) as site:
        site.applies()
        own_site(site, folder, tmp_path)
        model = site.switches[SPINE]

        def hand(line: str) -> None:
            cumulus.by_hand(model, f"{line}; nv config apply -y; nv config save")

        mtu = model.runs["interface"]["swp1"]["link"]["mtu"]
        hand("nv set interface swp1 link mtu 1500")
        assert "which no raw line can say: interface swp1 link mtu" in refused(site, "interface")
        hand(f"nv set interface swp1 link mtu {mtu}")
        hand("nv set interface swp1 link state down")
        assert "switches off what the plan uses: " in refused(site, "interface")
        hand("nv unset interface swp1 link state")
        hand("nv set service dns mgmt server 192.0.2.53")
        stanza = is_accepted(site, "service")
        assert '- "dns:"' in stanza
        assert "192.0.2.53" in stanza
        held = model.nvue  # as a switch of another release may hold it: this one takes no such word
        for tree in (held["revisions"][held["applied"]]["tree"], held["startup"]):
            tree["system"]["lldp"] = {"mode": "cdp"}
        assert "no word of release" in refused(site, "system")
        for tree in (held["revisions"][held["applied"]]["tree"], held["startup"]):
            tree["system"].pop("lldp", None)  # both may be one
        hand(f"nv set system snmp-server readonly-community {FOREIGN} access any")
        assert "may hold a secret" in refused(site, "system")


# -- Linux with FRR -----------------------------------------------------------------------


@pytest.fixture
def linux(tmp_path, monkeypatch) -> Site[Any]:
    """A site whose switches run what stands in `switches`, by name."""
    folder = tmp_path / "mini"
    with pytest.raises(InventoryError, match="Debian ships no maintained TACACS"):
        leaf_and_spine(folder, "linux_frr", "", 1, 4)
    path = folder / "fabric.yml"
    text = path.read_text().partition("\nswitch_services:")[0]
    path.write_text(text.replace("  tacacs_key: env:TACACS_KEY\n", ""))
    plan = open_site(folder)
    made_quick(monkeypatch)
    context = Context(
        plan, str(folder), tmp_path, tmp_path / "c", tmp_path / "k", print, no_journal
    )
    runs = {SPINE: render(plan, SPINE)}
    for one in (accepting, drifting):
        monkeypatch.setattr(one, "fetcher", lambda _: lambda name: Whole(runs[name], runs[name]))
    return Site(context, Nobody(), runs, {})


def runs(site: Site[Any], path: str, change: Callable[[str], str]) -> None:
    """A file of the switch is another, as FRR writes its own: without comments."""
    made = [
        replace(one, text=change(one.text)) if one.path == path else one
        for one in site.switches[SPINE].files
    ]
    site.switches[SPINE] = replace(site.switches[SPINE], files=tuple(made))


@pytest.mark.instances(keep=2, of="what was typed on a system becomes the site's")
def test_lines_of_frr(linux):
    known = linux.switches[SPINE]
    typed = "bgp community-list standard LATER seq 5 permit 65000:7\n"

    def saved(text: str) -> str:
        kept = [line for line in text.splitlines(keepends=True) if line[0] != "!"]
        at = next(n for n, line in enumerate(kept) if line.startswith("route-map "))
        return "".join(["frr version 8.4.4\n", *kept[:at], typed, *kept[at:]])

    runs(linux, FRR, saved)
    done = accepts(linux, "frr_communities")
    assert (done.written, done.anew) == (True, True), "its file gets the reason with the next push"
    assert f'- "{typed.strip()}"' in done.stanza
    linux.context = replace(linux.context, plan=open_site(linux.context.site))
    assert accepts(linux, "frr_communities").stanza == ""
    linux.switches[SPINE] = render(linux.context.plan, SPINE)
    assert exit_code(drift(linux.context, [SPINE])) == 0
    linux.switches[SPINE] = known
    assert "does not run" in refused(linux, "frr_communities")


def test_a_file_that_is_laid_whole_is_refused(linux):
    runs(linux, SYSCTL, lambda text: f"{text}net.ipv4.ip_default_ttl = 64\n")
    assert "is laid whole, with the reason as a comment" in refused(linux, "sysctl")
