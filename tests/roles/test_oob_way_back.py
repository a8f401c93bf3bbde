"""What takes a change of the OOB server's network back; systemd and nft stand in."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from roles.pyinfra_role import text_of

pytestmark = pytest.mark.skipif(
    os.geteuid() != 0, reason="a network namespace of its own needs root"
)

OLD, NEW = "table inet railbed_oob { old }", "table inet railbed_oob { new }"
# One table, in a file: it is taken away by `delete`, and is what a loaded file ends with (nft(8)).
NFT = """#!/bin/sh
case $* in
'list tables') [ ! -s {root}/rules ] || echo 'table inet railbed_oob' ;;
'list table inet railbed_oob') cat {root}/rules ;;
'delete table inet railbed_oob') [ -s {root}/rules ] && : >{root}/rules ;;
-f*) grep -q '^delete table inet railbed_oob$' "$2" && sed '1,2d' "$2" >{root}/rules ;;
*) exit 1 ;;
esac
"""
# It notes what it is told; what is enabled or active is a file. A timer is for the test to fire.
SYSTEMCTL = """#!/bin/sh
echo "$*" >>{root}/told
[ "$1" != --quiet ] || shift
case $1 in
is-enabled) cat {root}/enabled-$2 2>/dev/null ;;
is-active) cat {root}/active-$2 2>/dev/null || echo inactive ;;
enable | disable) echo "$1d" >{root}/enabled-$2 ;;
stop) shift; for one; do echo inactive >{root}/active-$one; done ;;
restart) echo active >{root}/active-$2 ;;
esac
"""
FIREWALL, NETWORKD = "railbed-oob-firewall.service", "systemd-networkd.service"
MINE = "198.51.100.7 51000 192.0.2.10 22"
ANEW = "198.51.100.7 51002 192.0.2.10 22"


class Server:
    """A folder that stands for a server's files, in a network namespace of its own."""

    def __init__(self, root: Path) -> None:
        self.root = root
        text = text_of("oob_server", "railbed-oob-way-back", {})
        for place in ("/var/lib/railbed-oob", "/run/"):
            text = text.replace(place, f"{root}{place}")
        text = text.replace("cd / ", f"cd {root} ").replace("tar -", f"tar -C {root} -")
        self.program = self.write("program", text)
        self.program.chmod(0o755)
        self.write("bin/systemctl", SYSTEMCTL.format(root=root)).chmod(0o755)
        self.write("bin/nft", NFT.format(root=root)).chmod(0o755)
        for folder in ("etc", "run", "var/lib"):
            (root / folder).mkdir(parents=True)
        self.write("rules", "")
        self.namespace = f"way-{os.getpid()}"
        self.run("ip", "netns", "add", self.namespace)

    def plug(self) -> None:
        """A port with an address and a way out."""
        self.inside("ip link add eno1 type veth peer name far; ip link set far up")
        self.inside("ip link set eno1 up; ip address add 192.0.2.10/24 dev eno1")
        self.inside("ip route add default via 192.0.2.1")

    def gone(self) -> None:
        self.run("ip", "netns", "del", self.namespace)

    def run(self, *argv: str, status: int = 0, session: str = "") -> str:
        env = {"PATH": f"{self.root}/bin:/usr/sbin:/usr/bin"}
        env |= {"SSH_CONNECTION": session} if session else {}
        done = subprocess.run(
            argv, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60
        )
        assert done.returncode == status, done.stdout
        return done.stdout

    def inside(self, script: str) -> str:
        return self.run("ip", "netns", "exec", self.namespace, "sh", "-ec", script)

    def tell(self, *words: str, status: int = 0, session: str = "") -> str:
        argv = ("ip", "netns", "exec", self.namespace, "sh", str(self.program), *words)
        return self.run(*argv, status=status, session=session)

    def write(self, path: str, text: str) -> Path:
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        return place

    def files(self) -> dict[str, str]:
        return {
            str(one.relative_to(self.root)): one.read_text()
            for one in sorted((self.root / "etc").rglob("*"))
            if one.is_file()
        }

    def runs(self) -> list[str]:
        """Addresses, routes, devices and rules."""
        asked = "ip -o -4 address show dev eno1; ip -4 route; ip -br link | cut -d' ' -f1; "
        return self.inside(f"{asked} cat {self.root}/rules || true").splitlines()

    def old(self) -> None:
        """A server that has an older plan."""
        self.write("etc/railbed/oob/firewall.nft", OLD)
        self.write(f"etc/systemd/system/{FIREWALL}", "old")
        self.write("etc/systemd/network/50-railbed-br-bmc.netdev", "[NetDev]\nName=br-bmc\n")
        self.write("rules", f"{OLD}\n")
        self.inside("ip link add br-bmc type bridge")
        for unit in (FIREWALL, NETWORKD):
            self.write(f"enabled-{unit}", "enabled")
            self.write(f"active-{unit}", "active")

    def change(self) -> None:
        """What a run then does: other rules, another zone, and the address is gone with it."""
        self.write("etc/railbed/oob/firewall.nft", NEW)
        self.write(f"etc/systemd/system/{FIREWALL}", "new")
        self.write("etc/systemd/network/50-railbed-br-x.netdev", "[NetDev]\nName=br-x\n")
        self.write("etc/systemd/network/10-netplan-eno1.network.d/50-railbed.conf", "[Network]\n")
        self.write("rules", f"{NEW}\n")
        self.inside("ip link add br-x type bridge; ip address flush dev eno1")
        for unit in (FIREWALL, NETWORKD):
            self.write(f"enabled-{unit}", "enabled")
            self.write(f"active-{unit}", "active")

    @property
    def pending(self) -> bool:
        return (self.root / "var/lib/railbed-oob/pending").exists()


@pytest.fixture
def server(tmp_path: Path):
    one = Server(tmp_path)
    try:
        one.plug()
        yield one
    finally:
        one.gone()


def test_what_nobody_confirmed_goes_back(server):
    server.old()
    before, ran = server.files(), server.runs()
    server.tell("arm", "300", "eno1", session=MINE)
    assert server.pending
    server.change()
    assert server.runs() != ran
    assert "are back (now)" in server.tell("go-back", "now")
    assert (server.files(), server.runs(), server.pending) == (before, ran, False)
    assert "restart systemd-networkd.service" in (server.root / "told").read_text()
    # The timer that comes late does nothing more, and a second change may begin.
    assert server.tell("go-back", "now") == ""
    server.tell("arm", "300", "eno1", session=MINE)


def test_a_server_that_had_nothing_of_ours_has_nothing_of_it_again(server):
    ran = server.runs()
    server.tell("arm", "300", "eno1", session=MINE)
    server.change()
    server.tell("go-back", "now")
    assert (server.files(), server.runs()) == ({}, ran)
    for unit in (FIREWALL, NETWORKD):
        assert (server.root / f"enabled-{unit}").read_text().strip() == "disabled"
        assert (server.root / f"active-{unit}").read_text().strip() == "inactive"


def test_a_restart_brings_the_files_back_before_anyone_reads_them(server):
    server.old()
    before = server.files()
    server.tell("arm", "300", "eno1", session=MINE)
    server.change()
    ran = server.runs()
    server.tell("go-back", "boot")
    assert (server.files(), server.runs(), server.pending) == (before, ran, False)


def test_only_a_new_connection_confirms(server):
    server.old()
    server.tell("arm", "300", "eno1", session=MINE)
    server.change()
    after, ran = server.files(), server.runs()
    server.tell("expect", "30", session=MINE)
    timer = (server.root / "run/systemd/system/railbed-oob-going-back.timer").read_text()
    assert "OnActiveSec=30\n" in timer
    said = server.tell("confirm", status=1, session=MINE)
    assert "the connection that made the change, not a new one" in said
    assert server.pending
    server.tell("confirm", session=ANEW)
    assert server.tell("go-back", "now") == ""
    assert (server.files(), server.runs(), server.pending) == (after, ran, False)
    told = (server.root / "told").read_text().splitlines()
    assert told[-1] == "stop railbed-oob-going-back.timer"


def test_a_login_that_is_not_root_confirms_by_sudo_over_a_new_connection_alone(server):
    server.old()
    server.tell("arm", "300", "eno1", session=MINE)
    root = server.root
    became = f'rm {root}/bin/id; unset SSH_CONNECTION; [ "$1$2" = -n-- ] && shift 2 && exec "$@"'
    server.write("bin/sudo", f"#!/bin/sh\n{became}\n").chmod(0o755)
    for session, status in ((MINE, 1), (ANEW, 0)):
        server.write("bin/id", "#!/bin/sh\necho 1000\n").chmod(0o755)
        server.tell("confirm", status=status, session=session)
        assert not (root / "bin/id").exists()
        assert server.pending is bool(status)


@pytest.mark.parametrize("verb", ["confirm", "expect"])
def test_what_went_back_is_not_confirmed(server, verb):
    server.tell("arm", "300", "eno1", session=MINE)
    server.change()
    server.tell("go-back", "now")
    assert "too late" in server.tell(verb, "30", status=1, session=ANEW)


def test_two_changes_at_once_are_refused(server):
    server.tell("arm", "300", "eno1", session=MINE)
    said = server.tell("arm", "300", "eno1", status=1, session=ANEW)
    assert "another change is not confirmed yet" in said


def test_without_a_timer_nothing_may_begin(server):
    server.write("bin/systemctl", "#!/bin/sh\n[ $1 != restart ]\n")
    server.tell("arm", "300", "eno1", status=1, session=MINE)
    assert not server.pending


def test_nothing_begins_where_what_is_there_cannot_be_kept(server):
    server.write("bin/nft", "#!/bin/sh\nexit 1\n").chmod(0o755)
    server.tell("arm", "300", "eno1", status=1, session=MINE)
    assert not server.pending


def test_half_a_way_back_is_tried_again_and_never_confirmed(server):
    server.old()
    before = server.files()
    server.tell("arm", "300", "eno1", session=MINE)
    server.change()
    full = server.write("bin/tar", "#!/bin/sh\nexit 2\n")
    full.chmod(0o755)
    assert "the next restart tries again" in server.tell("go-back", "now", status=1)
    assert "too late" in server.tell("confirm", status=1, session=ANEW)
    assert server.pending
    full.unlink()
    server.tell("go-back", "boot")
    assert (server.files(), server.pending) == (before, False)
