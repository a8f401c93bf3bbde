"""The manifest misses nothing: each thing that roles own is changed, one at a time, and found.

What is changed comes from the device itself: files that say which role wrote them, packages
that were asked for by name (dpkg and apt's own history), units that were enabled since the
image, parameters that those files set. The code that compares has no part in it.

Run as `python -m tests.bench.manifest`; needs root, and takes some minutes.
"""

from __future__ import annotations

import random
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from deploy import lab
from deploy.context import Context, no_journal
from deploy.lab.machines import machine
from deploy.rollout.change import apply_site
from deploy.servers.drift import DeviceDrift, drift
from deploy.session import Selection, open_context
from deploy.transport.ssh_run import SshTransport
from inventory import site_folder

from . import overrides

NAME = "bmanifest"
MARK = re.compile(r"Written by railbed, role (\w+)")
# Others may have files there; the roles' contracts say why.
SHARED = frozenset({"/etc/apt/sources.list.d", "/etc/ssh/sshd_config.d"})
UNIT_FILES = (".service", ".network", ".netdev")

FIND = """\
grep -rIm1 'Written by railbed, role' /etc /usr/local
for f in $(find /etc/railbed /etc/apt/keyrings -type f); do
  grep -q 'Written by railbed, role' "$f" || printf '%s:\\n' "$f"
done
"""
# Folders that came with no package; only below /etc, for /usr/local is made by base-files'
# script and listed nowhere.
FOLDERS = """\
find /srv -mindepth 1 -maxdepth 2 -type d
for f in {0}; do
  while f=$(dirname "$f"); do
    case $f in /etc/*) ;; *) break ;; esac
    dpkg-query -S "$f" >/dev/null 2>&1 && break
    echo "$f"
  done
done | sort -u
"""
ALSO = """\
for unit in $(systemctl cat {0} | sed -n 's/^Also=//p'); do
  state=$(systemctl is-enabled "$unit" || true)
  [ "$state" = enabled ] || echo "$unit:$state"
done
"""
AGAIN = {"disabled": "disable", "masked": "mask"}
NAMED = "sed -n 's/^Install: //p' /var/log/apt/history.log"
SETTINGS = (
    "for f in /etc/sysctl.d/*; do grep -q 'Written by railbed' \"$f\" && "
    'sed -n "s|^\\([a-z][^ =]*\\) *= *|$f \\1 |p" "$f"; done; true'
)


@dataclass(frozen=True)
class Change:
    """One thing changed on one device, and what it takes to have it back.

    `thing` is what drift must name; `role` must own it ("" where the device does not say).
    """

    device: str
    kind: str
    thing: str
    role: str
    do: str
    undo: str

    def is_found_in(self, found: DeviceDrift) -> bool:
        """Whether the thing is named, with its role, and nothing became unknown."""
        named = {one.role for one in found.found.drifts if one.what == self.thing}
        return bool(named) and self.role in (*named, "") and not found.found.unknowns


class Device:
    """One machine of the lab, touched past its network."""

    def __init__(self, lab_name: str, name: str) -> None:
        self.lab, self.name = lab_name, name

    def run(self, script: str) -> str:
        """What a script says there."""
        done = machine.inside(self.lab, self.name, ["sh", "-euc", script], timeout_s=60)
        assert done.returncode == 0, f"{self.name}: {script}: {done.stderr.decode()}"
        return done.stdout.decode()

    def changes(self) -> list[Change]:
        """Every change to everything that roles left on this device."""
        files = dict(self._files())
        return [
            *(one for path, role in files.items() for one in self._of_file(path, role)),
            *self._folders(files),
            *self._strays(files),
            *self._overrides(),
            *(one for name in self._packages() for one in self._of_package(name)),
            *(one for name, role in self._units(files) for one in self._of_unit(name, role)),
            *self._settings(files),
        ]

    def _change(self, kind: str, thing: str, role: str, do: str, undo: str) -> Change:
        return Change(self.name, kind, thing, role, do, undo)

    def _files(self) -> Iterator[tuple[str, str]]:
        for line in self.run(FIND).splitlines():
            path, _, text = line.partition(":")
            mark = MARK.search(text)
            yield path, mark[1] if mark else ""
        # The only files that roles write elsewhere and without their name.
        for path, role in (("/etc/hostname", "oob_server"),):
            if self.name.startswith("oob"):
                yield path, role

    def _of_file(self, path: str, role: str) -> Iterator[Change]:
        keep, back = f"cp -a {path} /tmp/kept", f"cp -a --remove-destination /tmp/kept {path}"
        end = f"$(($(stat -c %s {path}) - 2))"
        last = f"printf '#' | dd of={path} bs=1 conv=notrunc status=none seek={end}"
        for kind, do in {
            "byte": f"{keep}; {last}",
            "more": f"{keep}; echo >>{path}",
            "owner": f"{keep}; chown daemon {path}",
            "group": f"{keep}; chgrp daemon {path}",
            "mode": f"{keep}; chmod o+w {path}",
            "gone": f"{keep}; rm {path}",
            "link": f"{keep}; cp -a {path} /tmp/target; ln -sf /tmp/target {path}",
        }.items():
            yield self._change(f"file: {kind}", path, role, do, back)

    def _folders(self, files: dict[str, str]) -> Iterator[Change]:
        for path in self.run(FOLDERS.format(" ".join(files))).split():
            for kind, do, undo in (
                ("mode", f"chmod o+w {path}", f"chmod o-w {path}"),
                ("owner", f"chown daemon {path}", f"chown root {path}"),
                (
                    "link",
                    f"rm -rf /tmp/moved; mv {path} /tmp/moved; ln -s /tmp/moved {path}",
                    f"rm {path}; mv /tmp/moved {path}",
                ),
            ):
                yield self._change(f"folder: {kind}", path, "", do, undo)

    def _strays(self, files: dict[str, str]) -> Iterator[Change]:
        for path, role in files.items():
            place = PurePosixPath(path)
            beside, below = place.parent / f"zz-stray{place.suffix}", f"{place}.d/zz-stray.conf"
            if place.parent.suffix == ".d" and str(place.parent) not in SHARED:
                yield self._stray(str(beside), "beside")
            if "railbed" in place.name and place.parts[:3] == ("/", "etc", "systemd"):
                old = place.with_name(f"49-railbed-{role}-left{place.suffix}")
                if place.parent.name == "network":
                    yield self._stray(str(old), "left over")
            if place.suffix in UNIT_FILES:
                yield self._stray(below, "drop-in")
        for unit, _ in self._units(files):
            yield self._stray(f"/etc/systemd/system/{unit}.d/zz-stray.conf", "drop-in")

    def _overrides(self) -> Iterator[Change]:
        is_oob = self.name.startswith("oob")
        for one in overrides.ON_OOB if is_oob else overrides.ON_NODE:
            yield self._change("override", one.thing or one.path, one.role, *overrides.put(one))
        if not is_oob:
            main = "/etc/ssh/sshd_config"
            do = f"cp -a {main} /tmp/kept; sed -i '/^Include/d' {main}"
            back = f"cp -a /tmp/kept {main}"
            yield self._change("override", "passwordauthentication", "os_base", do, back)

    def _stray(self, path: str, kind: str) -> Change:
        folder = PurePosixPath(path).parent
        undo = f"rm {path}; rmdir {folder} 2>/dev/null || true"
        return self._change(
            f"stray: {kind}", path, "", f"mkdir -p {folder}; echo '#' >{path}", undo
        )

    def _packages(self) -> list[str]:
        """Packages that were asked for by name; those that came with them are apt's."""
        if self.name.startswith("oob"):  # its packages are the image's, no role installs any
            return []
        told = [entry for line in self.run(NAMED).splitlines() for entry in line.split("), ")]
        return sorted({one.partition(":")[0] for one in told if "automatic" not in one})

    def _of_package(self, name: str) -> Iterator[Change]:
        status = "/var/lib/dpkg/status"
        keep, back = f"cp -a {status} /tmp/kept", f"cp -a /tmp/kept {status}"
        here = f"/^Package: {name}$/,/^$/"
        for kind, edit in {
            "version": f"{here}s/^Version: .*/&+other/",
            "half": f"{here}s/^Status: .*/Status: install ok half-configured/",
            "removed": f"{here}s/^Status: .*/Status: deinstall ok config-files/",
        }.items():
            do = f"{keep}; sed -i '{edit}' {status}"
            yield self._change(f"package: {kind}", name, "", do, back)
        marks = [f"apt-mark unhold {name}", f"apt-mark hold {name}"]
        is_held = name in self.run("apt-mark showhold").split()
        do, undo = marks if is_held else reversed(marks)
        yield self._change("package: hold", name, "", do, undo)

    def _units(self, files: dict[str, str]) -> list[tuple[str, str]]:
        """Units that roles wrote, or whose drop-ins or configuration they wrote."""
        found = {}
        for path, role in files.items():
            place = PurePosixPath(path)
            if place.suffix == ".service" and not place.stem.endswith("@"):
                found[place.name] = role
            if place.parent.name.endswith(".service.d"):
                found[place.parent.name.removesuffix(".d")] = role
            if "/systemd/network" in path:
                found["systemd-networkd.service"] = role
        return sorted(found.items())

    def _of_unit(self, name: str, role: str) -> Iterator[Change]:
        # To enable a unit takes others along (`Also=`), which roles may want disabled.
        off = dict(line.split(":") for line in self.run(ALSO.format(name)).split())
        back = [f"systemctl disable -q {one}" for one in off if off[one] == "disabled"]
        undo = "; ".join([f"systemctl enable -q {name}", *back])
        yield self._change("unit: disabled", name, role, f"systemctl disable -q {name}", undo)
        for one, state in off.items():
            if state in ("disabled", "masked"):
                enable = f"systemctl unmask -q {one}; systemctl enable -q {one}"
                undo = f"systemctl disable -q {one}; systemctl {AGAIN[state]} -q {one}"
                yield self._change("unit: enabled", one, role, enable, undo)
            if state == "masked":
                off_only, again = f"systemctl unmask -q {one}", f"systemctl mask -q {one}"
                yield self._change("unit: not masked", one, role, off_only, again)
        stop, start = f"systemctl stop {name}", f"systemctl start {name}"
        yield self._change("unit: stopped", name, role, f"{stop} 2>/dev/null", start)
        # Touched and not read again; the content stays.
        if "railbed" in name:
            path = f"/etc/systemd/system/{name}"
            do = f"sleep 1.1; touch {path}"
            yield self._change("unit: not read again", name, role, do, "systemctl daemon-reload")

    def _settings(self, files: dict[str, str]) -> Iterator[Change]:
        for line in self.run(SETTINGS).splitlines():
            path, name, *value = line.split()
            other = " ".join([*value[:-1], str(int(value[-1]) + (-1 if int(value[-1]) else 1))])
            place = f"/proc/sys/{name.replace('.', '/')}"
            do, undo = f"echo '{other}' >{place}", f"echo '{' '.join(value)}' >{place}"
            yield self._change("sysctl", name, files[path], do, undo)


def one_of_each(every: list[Change]) -> list[Change]:
    """One change of each kind that a role mends, each of another thing."""
    chosen: dict[str, Change] = {}
    for one in random.Random(5).sample(every, len(every)):
        is_other = one.thing not in {other.thing for other in chosen.values()}
        if is_other and not one.kind.startswith(("stray", "override")):
            chosen.setdefault(one.kind, one)
    # What others do to a unit makes systemd read all of them.
    return sorted(chosen.values(), key=lambda one: one.kind == "unit: not read again")


@dataclass(frozen=True)
class Outcome:
    """What was changed, and what of it nobody found."""

    changed: Counter[str]
    missed: tuple[Change, ...]
    false: tuple[str, ...]
    probe_s: float


def probe(context: Context, device: str) -> DeviceDrift:
    """One trip over SSH."""
    return drift(context, SshTransport(context.ssh_config), [device]).of(device)


def change_each(
    context: Context,
    lab_name: str,
    devices: list[str],
    most: int | None,
    say: Callable[[str], None],
) -> Outcome:
    """Change each thing of these devices alone, `most` of them (seeded) where given."""
    every = [one for name in devices for one in Device(lab_name, name).changes()]
    chosen = every if most is None else random.Random(3).sample(every, min(most, len(every)))
    false = [f"{name} before: {one}" for name in devices for one in said(context, name)]
    missed, seconds = [], []
    for one in chosen:
        there = Device(lab_name, one.device)
        there.run(one.do)
        try:
            begin = time.perf_counter()
            found = probe(context, one.device)
            seconds.append(time.perf_counter() - begin)
        finally:
            there.run(one.undo)
        if not one.is_found_in(found):
            missed.append(one)
            say(f"missed {one.device} {one.kind} {one.thing}: {said_of(found)}")
    false += [f"{name} after: {one}" for name in devices for one in said(context, name)]
    middle = sorted(seconds)[len(seconds) // 2]
    return Outcome(Counter(one.kind for one in chosen), tuple(missed), tuple(false), middle)


def said(context: Context, device: str) -> list[str]:
    """All that the probe finds on a device that is as planned: must be nothing."""
    return said_of(probe(context, device))


def said_of(found: DeviceDrift) -> list[str]:
    """Everything found, as sentences."""
    return [str(one) for one in (*found.found.drifts, *found.found.unknowns)] + (
        [found.silent] if found.silent else []
    )


def main() -> int:
    """Build a lab, change everything on a node and on the OOB server, and count."""
    lab.down(NAME)
    lab.up(site_folder("lab"), NAME, say=lambda _: None)
    try:
        selection = Selection("lab", NAME)
        done = apply_site(selection, "", dry_run=False, say=print)
        assert done.exit_code == 0, done.outcome
        context = open_context(selection, print, no_journal)
        return show(change_each(context, NAME, ["node-p1-1", "oob1"], None, print))
    finally:
        lab.down(NAME)


def show(outcome: Outcome) -> int:
    """Print the figures."""
    total = sum(outcome.changed.values())
    for kind, count in sorted(outcome.changed.items()):
        missed = sum(one.kind == kind for one in outcome.missed)
        print(f"{kind:24} {count - missed}/{count}")
    for line in outcome.false:
        print(f"false: {line}")
    share = 100 * (total - len(outcome.missed)) / total
    print(f"found/changed {total - len(outcome.missed)}/{total}, one probe {outcome.probe_s:.2f} s")
    quiet = len(outcome.false)
    print(f"RESULT manifest_found {share:.1f} % target >=100 {'ok' if share == 100 else 'short'}")
    print(f"RESULT manifest_false {quiet} things target <=0 {'short' if quiet else 'ok'}")
    return 0 if share == 100 and not quiet else 1


if __name__ == "__main__":
    sys.exit(main())
