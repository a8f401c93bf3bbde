"""What the tests of the repository share: machines, apt on a node, bad repositories."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from deploy.context import Context
from deploy.lab.machines import machine
from deploy.packages.gpg_run import clearsign, ensure_key
from deploy.packages.repo_run import build, make, manifest, send
from deploy.session import Selection
from inventory.nodes.hostvars import vars_for
from roles.pyinfra_role import text_of
from tests.labs import lab_name

ROOT = Path(__file__).parents[3]
BASE = "repo"
NAME = lab_name(BASE)
NODE = "node-p1-1"
SELECTION = Selection("lab", NAME)
STATE = SELECTION.state_dir
# The files by which role os_base tells apt where to ask, and whom to trust.
APT_FILES = {
    "railbed.asc.j2": "/etc/apt/keyrings/railbed.asc",
    "railbed.sources.j2": "/etc/apt/sources.list.d/railbed.sources",
    "pins.j2": "/etc/apt/preferences.d/90-railbed",
    "apt.conf": "/etc/apt/apt.conf.d/90-railbed",
}


@dataclass(frozen=True)
class Said:
    """How a command on a machine ended, and all that it said."""

    status: int
    text: str


def on(device: str, script: str) -> Said:
    """Run a script in a machine, past its network."""
    done = machine.inside(NAME, device, ["sh", "-c", script], timeout_s=120)
    return Said(done.returncode, (done.stdout + done.stderr).decode())


def trust(context: Context) -> None:
    """Write on the node what role os_base writes for apt."""
    values = vars_for(context.plan, NODE)
    for template, path in APT_FILES.items():
        text = text_of("os_base", template, values)
        done = on(NODE, f"mkdir -p {Path(path).parent} && cat > {path} <<'END'\n{text}END\n")
        assert done.status == 0, done.text


def update() -> Said:
    """`apt-get update` on the node; an error of any source is its exit status."""
    return on(NODE, "apt-get update")


def install(*packages: str) -> Said:
    """Install on the node without recommendations and without starting services."""
    wanted = " ".join(packages)
    return on(
        NODE,
        "printf '#!/bin/sh\\nexit 101\\n' > /usr/sbin/policy-rc.d; chmod 755 /usr/sbin/policy-rc.d;"
        f"DEBIAN_FRONTEND=noninteractive apt-get -y --no-install-recommends install {wanted};"
        "status=$?; rm /usr/sbin/policy-rc.d; exit $status",
    )


def by_pyinfra(host: str) -> None:
    """The users' own command line, on one host."""
    script = ["inventory.pyinfra_source:hosts", "deploy/nodes.py", "--limit", host, "--yes"]
    run("-c", "from pyinfra_cli.main import main; main()", *script)


def by_ansible(host: str, *more: str) -> str:
    """The users' own command line, on one host; what it said."""
    play = ["-i", "inventory/ansible_source.py", "deploy/playbooks/nodes.yml", "--limit", host]
    return run("-m", "ansible", "playbook", *play, *more)


def run(*arguments: str) -> str:
    """Run an engine of this environment on this lab."""
    tools = Path(sys.executable).parent
    env = {
        **os.environ,
        "PATH": f"{tools}:{os.environ['PATH']}",
        "RAILBED_SITE": "lab",
        "RAILBED_STATE": str(STATE),
        "NO_COLOR": "1",
        "ANSIBLE_NOCOLOR": "1",
    }
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


# -- repositories that a node must refuse ------------------------------------------------------

Spoil = Callable[[Context, Path, Path], None]


def serve(context: Context, tmp_path: Path, spoil: Spoil) -> None:
    """Offer a copy of the good repository, after `spoil` was at it."""
    tree = tmp_path / "tree"
    shutil.copytree(build(context.plan, context.state_dir, datetime.now(UTC)), tree)
    spoil(context, tree, tmp_path)
    wanted = manifest(tree)
    send(context, tree, wanted, sorted(wanted))


def in_release(context: Context, tree: Path) -> Path:
    return tree / "dists" / context.plan.repo.suite / "InRelease"


def unsigned(context: Context, tree: Path, _: Path) -> None:
    """Only a Release file, as an archive has it that nobody signed."""
    signed = in_release(context, tree)
    body = signed.read_text().split("\n\n", 1)[1].split("-----BEGIN PGP SIGNATURE-----")[0]
    signed.with_name("Release").write_text(body)
    signed.unlink()


def signed_by_another(context: Context, tree: Path, tmp_path: Path) -> None:
    """A good signature, by a key that the node was not given."""
    ensure_key(tmp_path / "other", "another site")
    signed = in_release(context, tree)
    body = signed.read_text().split("\n\n", 1)[1].split("-----BEGIN PGP SIGNATURE-----")[0]
    signed.write_text(clearsign(tmp_path / "other", body))


def resigned_text(context: Context, tree: Path, _: Path) -> None:
    """One word of the signed text changed, its signature kept."""
    signed = in_release(context, tree)
    signed.write_text(signed.read_text().replace("Origin: railbed", "Origin: debian"))


def changed_index(context: Context, tree: Path, _: Path) -> None:
    """The list of packages changed, of the same length, under a good signature."""
    [index] = tree.rglob("Packages")
    index.write_text(index.read_text().replace("Package: chrony", "Package: chronx"))


def expired(context: Context, tree: Path, _: Path) -> None:
    """Signed by the right key, and out of date since yesterday."""
    now = datetime.now(UTC)
    make(context.plan, context.state_dir, tree, now - timedelta(days=9), now - timedelta(days=1))


def changed_package(context: Context, tree: Path, _: Path) -> None:
    """A package's bytes changed, all metadata kept."""
    [file] = tree.glob("pool/chrony_*.deb")
    file.write_bytes(bytes([*file.read_bytes()[:-1], 0x55]))
