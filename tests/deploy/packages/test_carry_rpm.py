"""Packages of the RHEL family are carried, too: from a mirror over a folder to a node's dnf.

dnf, createrepo_c, gpg and rpm as they are here; RHEL userland is not tried, and vendor packages are
stand-ins.
"""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from deploy.packages.fetch import missing
from deploy.packages.repo_run import build
from deploy.rollout.supply import prepare, programs
from deploy.session import Selection, open_plan
from inventory.plan import Plan

from . import rpm_archive
from .conftest import Rocky
from .dnf_node import PLUGIN, minimal
from .island import Island

pytestmark = [
    pytest.mark.skipif(
        not (all(map(shutil.which, [*programs("rocky-9"), "rpmbuild"])) and PLUGIN.exists()),
        reason="needs dnf, dnf-plugins-core, rpm, createrepo-c and gnupg",
    ),
    pytest.mark.instances(keep=4, of="carried packages"),
]
LACKING = {"dnf", "rpmkeys"}


@pytest.fixture
def island(rocky: Rocky, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Island:
    """A site whose lock has all that its roles ask for, versionlock too."""
    text = rocky.lock.read_text()
    rocky.lock.write_text(text.replace("[chrony]", "[chrony, python3-dnf-plugin-versionlock]"))
    rpm_archive.sources(rocky.site, [rocky.row(streams=["tools:1"])])
    return Island(rocky.site, tmp_path, monkeypatch)


@contextmanager
def served(tree: Path) -> Iterator[str]:
    """Serve a tree over HTTP, as the OOB server does; its URL."""
    handler = partial(SimpleHTTPRequestHandler, directory=str(tree))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


def on_the_island(island: Island) -> tuple[Path, Plan]:
    """What `apply` does there first: without a mirror, and without the programs that ask one."""
    real = shutil.which
    selection = Selection(island.site, "lab")
    with island.monkeypatch.context() as patch:
        patch.setattr("shutil.which", lambda name: None if name in LACKING else real(name))
        patch.setattr("deploy.lab.host._outliving", lambda argv: pytest.fail(f"asks for {argv}"))
        plan = prepare(selection, print, open_plan(selection))
    return build(plan, selection.state_dir, datetime.now(UTC)), plan


def test_a_node_installs_what_was_carried(island, rocky, tmp_path):
    """From what the island serves, signed by the island's own key."""
    key = island.export()
    shutil.rmtree(rocky.archive)
    assert len(missing(island.packages)) == 9
    said = island.bring("--key", key)
    assert said.stdout == "9 packages taken, 0 were there; all 9 are whole\n", said
    tree, plan = on_the_island(island)
    asked = plan.packages.set_of("time", "lldp", "rdma", "nvidia_driver")
    with served(tree) as uri:
        node = minimal(tmp_path / "node", uri, plan)
        assert node.has(asked) == ""
        assert node.found(asked).installed == asked
        assert node.found(asked).held == {*asked}


def test_a_changed_package_is_refused_by_name(island):
    key = island.export()
    with island.a_package().open("r+b") as file:
        file.seek(-8, 2)
        file.write(b"tampered")
    said = island.refused("--key", key)
    assert f"packages/{island.a_package().name}: changed" in said
    assert island.a_package().name.startswith("chrony-4.5-1.el9-")
