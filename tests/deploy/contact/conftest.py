"""A site whose OOB server and devices are on loopback, and nobody has met them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from inventory.load.site import SITES

from .machines import Machine, keygen, loopback

LOGINS = """
logins:
  - {user: jump, devices: [oob1], password: jump_password}
  - {user: ubuntu, devices: [node-p1-1, node-p1-2], password: node_password}
"""
CREDENTIALS = "  jump_password: env:JUMP_PASSWORD\n  node_password: env:NODE_PASSWORD\n"
ADDRESSES = {
    "node-p1-1": "10.88.1.11",
    "node-p1-2": "10.88.1.12",
    "leaf-p1-r0": "10.88.0.11",
}


class Hall:
    """The machines by name, the site's folder, and its state folder."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.site, self.state = folder / "hall", folder / "state"
        self.machines = {
            "node-p1-1": Machine(folder / "n1", "ubuntu", "first light"),
            "node-p1-2": Machine(folder / "n2", "ubuntu", "first light"),
            "leaf-p1-r0": Machine(folder / "l1", "root"),
        }
        for one in self.machines.values():
            stack.enter_context(one)
        behind = {address: self.machines[name] for name, address in ADDRESSES.items()}
        server = Machine(folder / "oob", "jump", "open sesame", loopback(), 22, behind)
        self.machines["oob1"] = stack.enter_context(server)
        self.site.mkdir()
        text = (SITES / "lab/fabric.yml").read_text()
        text = text.replace("credentials:\n", f"{LOGINS}\ncredentials:\n{CREDENTIALS}")
        (self.site / "fabric.yml").write_text(text)
        shutil.copy(SITES / "lab/asbuilt.csv", self.site)
        self.state.mkdir(mode=0o700)
        # A site itself may not name an address of loopback.
        (self.state / "access.json").write_text(json.dumps({"address": server.address}))
        keygen(self.state / "id_ed25519")

    @property
    def public(self) -> str:
        """The base64 of the site's key."""
        return (self.state / "id_ed25519.pub").read_text().split()[1]

    def let_in(self, *names: str) -> None:
        """The site's key is there already."""
        for name in names:
            self.machines[name].authorized.write_text(f"ssh-ed25519 {self.public} railbed\n")

    def keys(self, *names: str) -> Path:
        """A file with host keys as ssh-keyscan prints them."""
        path = self.site.parent / "keys"
        path.write_text("".join(f"{one} {self.machines[one].line}\n" for one in names))
        return path


@pytest.fixture
def hall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hall]:
    monkeypatch.setenv("RAILBED_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("JUMP_PASSWORD", "open sesame")
    monkeypatch.setenv("NODE_PASSWORD", "first light")
    with ExitStack() as stack:
        try:
            yield Hall(tmp_path, stack)
        except PermissionError:
            pytest.skip("needs port 22 of loopback")
