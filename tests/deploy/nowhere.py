"""A lab's plan whose jump host is a place where nobody listens (RFC 1122: loopback)."""

from __future__ import annotations

from pathlib import Path

from deploy.context import Context, no_journal
from inventory import open_site
from inventory.oob.ssh_config import ssh_config


def context_to_nowhere(folder: Path) -> Context:
    """Everything an engine needs, but a host that answers."""
    plan = open_site("lab")
    (folder / "ssh").mkdir()
    (folder / "id_ed25519").write_text("no key")
    text = ssh_config(plan, str(folder), plan.oob.access, folder / "id_ed25519")
    nowhere = text.replace(str(plan.oob.access), "127.0.0.2\n  Port 1")
    (folder / "ssh" / "config").write_text(nowhere)
    (folder / "ssh" / "known_hosts").write_text("")
    return Context(
        plan=plan,
        site="lab",
        state_dir=folder,
        ssh_config=folder / "ssh" / "config",
        known_hosts=folder / "ssh" / "known_hosts",
        say=lambda _: None,
        journal=no_journal,
    )
