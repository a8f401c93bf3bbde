"""What is to be done so that packages are at exact versions: for dpkg and apt, for rpm and dnf.

Pure, and for the standard library alone: Ansible sends this file to hosts, and the pyinfra
faces import it. Text in (`QUERY`'s output), commands out.

Versions are exact; where none is said (empty) any will do, and its hold is the host's own.

A set is changed in one transaction that names every package of it: apt would not find a way
from one strict set to another otherwise. `--allow-change-held-packages` takes holds away, so
they are set again afterwards, and read back (apt-get(8), apt-mark(8); dnf(8), and versionlock
of dnf-plugins-core). Nothing goes that nobody named: apt is asked first what it would remove,
dnf removes nothing without --allowerasing (dnf(8)).
"""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from shlex import join, quote

_KEEP = "-o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold"
_DPKG = "DEBIAN_FRONTEND=noninteractive dpkg --force-confdef --force-confold"
# Ubuntu's needrestart would restart services behind apt's back, under jobs (needrestart(1)).
_APT = f"NEEDRESTART_SUSPEND=1 DEBIAN_FRONTEND=noninteractive apt-get -y -q {_KEEP}"
# apt-get(8), --simulate: a line `Remv NAME [VERSION]`, `Purg` where its settings go too. What comes
# back in the same transaction was only out of the way.
_REMOVED = (
    '($1 == "Remv" || $1 == "Purg") && !seen[$2]++ { gone[++count] = $2 } '
    '$1 == "Inst" { stays[$2] = 1 } '
    "END { for (at = 1; at <= count; at++) if (!(gone[at] in stays)) print gone[at] }"
)
# Locks are a file of the host; with repositories dnf would first read the lists of all of them, and
# a host that does not reach one, or was not yet asked whether it believes a key, tells no lock.
_VERSIONLOCK = "dnf -q -y --disablerepo='*' versionlock"


class Refused(Exception):
    """Why nothing may be installed here, in words."""


@dataclass(frozen=True)
class Found:
    """`installed` by name: its version. `broken` are half-installed, `held` somebody holds.

    `locks` are dnf's, as it lists them: a package whose lock is of another version is not held.
    """

    installed: dict[str, str]
    broken: frozenset[str]
    held: frozenset[str]
    locks: frozenset[str] = frozenset()


def query(family: str, names: list[str], conflicts: list[str]) -> str:
    """A shell command that prints a line for each package: hold, state, name=version."""
    if family == "deb":
        shown = "${db:Status-Want} ${db:Status-Status} ${Package}=${Version}\\n"
        asked = join(sorted({*names, *conflicts}))
        return f"dpkg-query --show --showformat={quote(shown)} {asked} 2>/dev/null; true"
    shown = "install installed %{NAME}=%{EPOCHNUM}:%{VERSION}-%{RELEASE}\\n"
    asked = join(sorted({*names, *conflicts}))
    locks = f"{_VERSIONLOCK} list 2>/dev/null | sed 's/^/locked /'"
    return f"rpm -qa --queryformat {quote(shown)} {asked}; {locks}; true"


def found(family: str, output: str) -> Found:
    """Read what `query` printed."""
    installed: dict[str, str] = {}
    broken: set[str] = set()
    held: set[str] = set()
    locks = [line.split()[1] for line in output.splitlines() if line.startswith("locked ")]
    for line in output.splitlines():
        words = line.split()
        if len(words) != 3:
            continue
        want, state, package = words
        name, _, version = package.partition("=")
        if state == "installed":
            installed[name] = version.removeprefix("0:") if family == "rpm" else version
        elif state not in ("not-installed", "config-files"):
            broken.add(name)
        if want == "hold":
            held.add(name)
    if family == "rpm":
        held |= {
            name
            for name, version in installed.items()
            if {f"{name}-{version}.*", f"{name}-0:{version}.*"} & {*locks}
        }
    return Found(installed, frozenset(broken), frozenset(held), frozenset(locks))


def _is_of(lock: str, name: str) -> bool:
    """Whether a line of `dnf versionlock list` is this name's, of whatever version.

    SOURCE: dnf-plugins-core, versionlock.py: a line is NAME-EPOCH:VERSION-RELEASE.*; people may
    leave the release out. Neither version nor release has a dash, and both may begin with a letter
    (rpm-version(7)).
    """
    return name in (lock.rsplit("-", 2)[0], lock.rsplit("-", 1)[0])


def refuse(there: Found, wanted: dict[str, str], conflicts: list[str]) -> None:
    """Raise Refused where something is installed that must not be beside `wanted`."""
    bad = sorted(
        f"{name} {version}"
        for name, version in there.installed.items()
        if name not in wanted and any(fnmatchcase(name, one) for one in conflicts)
    )
    if bad:
        raise Refused(
            f"found {', '.join(bad)}, which cannot be beside {', '.join(sorted(wanted))}; "
            "expected none of it; remove it first (its maker's own uninstaller, if it has one)"
        )


def left_over(there: Found, wanted: dict[str, str], replaced: list[str]) -> list[str]:
    """Installed packages that `wanted` replaces: those of `replaced` that it does not name."""
    return sorted(
        name
        for name in {*there.installed, *there.broken} - set(wanted)
        if any(fnmatchcase(name, one) for one in replaced)
    )


def changes(
    there: Found, wanted: dict[str, str], hold: bool, replaced: list[str] | None = None
) -> list[str]:
    """What is not as wanted, in words, sorted; empty where all is."""
    told = [f"{name} -> absent" for name in left_over(there, wanted, replaced or [])]
    for name, version in sorted(wanted.items()):
        have = there.installed.get(name)
        if not _is_so(there, name, version):
            told.append(f"{name} {have or 'absent'} -> {version or 'installed'}")
        if version and hold != (name in there.held):
            told.append(f"{name}: {'hold' if hold else 'let go'}")
    return told


def _is_so(there: Found, name: str, version: str) -> bool:
    have = there.installed.get(name)
    return have is not None and name not in there.broken and version in ("", have)


def commands(
    family: str,
    there: Found,
    wanted: dict[str, str],
    hold: bool,
    replaced: list[str] | None = None,
) -> list[str]:
    """Shell commands that make it so, in order; empty where nothing is to be done.

    `replaced` are names, with wildcards, of packages that carry a version in their name: of
    them only those that are wanted stay.
    """
    if not changes(there, wanted, hold, replaced):
        return []
    gone = left_over(there, wanted, replaced or [])
    exact = {name: version for name, version in wanted.items() if version}
    # Named to apt or dnf, a package of any version would be brought to the newest.
    any_one = {name: "" for name in set(wanted) - set(exact) if not _is_so(there, name, "")}
    work = _locks_first(there, [*exact, *gone], hold) if family == "rpm" else []
    if gone or any_one or not all(_is_so(there, *one) for one in exact.items()):
        work += _install(family, exact | any_one, gone)
    return [*work, *(_held(family, exact, hold) if exact else [])]


def _install(family: str, wanted: dict[str, str], gone: list[str]) -> list[str]:
    if family == "deb":
        # A name with `-` behind it is removed in the same transaction (apt-get(8), install).
        ways = [f"{name}={version}" if version else name for name, version in wanted.items()]
        exact = join([*sorted(ways), *(f"{name}-" for name in gone)])
        allowed = "--no-install-recommends --allow-downgrades --allow-change-held-packages"
        return [
            # A run that was cut off leaves packages unpacked, and a journal without whose reading
            # apt does nothing (dpkg(1), --configure). What cannot be configured, because its files
            # are half there or its module does not build, is what the transaction then replaces.
            f"{_DPKG} --configure -a || true",
            "apt-get -q update",
            _nothing_else_goes(f"{_APT} --simulate {allowed} install {exact}", gone),
            f"{_APT} {allowed} install {exact}",
        ]
    ways = [f"{name}-{version}" if version else name for name, version in wanted.items()]
    exact = join(sorted(ways))
    # Not `dnf remove`: it takes along what needs the package, and what only the package needed
    # (dnf(8)); rpm refuses what is needed (rpm(8), --erase).
    remove = [f"rpm --erase {join(gone)}"] if gone else []
    # One source and no other, as apt's settings have it (role os_base; its name ends in a digest
    # of its key).
    only = "--disablerepo='*' --enablerepo='railbed-*' --setopt=install_weak_deps=False"
    # Lists that never end are not asked for again: those that were looked at are those used.
    install = f"dnf -y {only} --setopt='railbed-*.metadata_expire=never' install {exact}"
    return [_not_ended(only), install, *remove]


def _not_ended(only: str) -> str:
    """A command that fetches dnf's lists, and fails, in words, where they have ended.

    The site's say so in the one word that its signature covers and dnf shows, their revision: the
    second of their end (createrepo_c(8); dnf(8), repoinfo). An older one would bring what the lock
    had once; apt looks at such a date by itself.
    """
    return (
        f"dnf -q -y {only} --refresh makecache || exit 1; "
        f"ends=$(LC_ALL=C.UTF-8 dnf -q -C {only} repoinfo | sed -n 's/^Repo-revision *: *//p'); "
        '[ "$ends" -gt "$(date +%s)" ] 2>/dev/null || '
        '{ echo "found lists of packages that ended at $(date -d "@$ends" 2>/dev/null || '
        'echo "$ends"), expected some that hold; look at the clock, and apply the site again, '
        'which sends new ones" >&2; exit 1; }'
    )


def _nothing_else_goes(simulated: str, gone: list[str]) -> str:
    """A command that fails, in words, where apt would remove a package that is not of `gone`."""
    # The names that may go, as lines that awk reads as installed; apt's own errors are on stderr,
    # what it could not do is on stdout.
    may = "".join(f"Inst {name}\\n" for name in gone)
    named = "sort -u | paste -sd ' ' -"
    return (
        f"told=$({simulated}) || {{ printf '%s\\n' \"$told\" >&2; exit 1; }}; "
        f"others=$(printf '%s\\n{may}' \"$told\" | awk {quote(_REMOVED)} | {named}); "
        '[ -z "$others" ] || { echo "found that apt would remove $others, expected '
        f"{'only ' + ' '.join(gone) if gone else 'nothing'} to go; remove it first, or lock "
        'versions that can be beside it" >&2; exit 1; }'
    )


def _locks_first(there: Found, names: list[str], hold: bool) -> list[str]:
    """Commands before dnf's transaction: locks of these names go, of whatever version they are.

    Without the plugin no package could be held afterwards: then nothing is done.
    """
    locked = sorted(
        name
        for name in names
        if name in there.held or any(_is_of(one, name) for one in there.locks)
    )
    refused = (
        "found no `dnf versionlock`, expected it, as packages are to be held; install "
        "python3-dnf-plugin-versionlock, or lock it beside chrony (components.time)"
    )
    asked = f"{_VERSIONLOCK} list >/dev/null || {{ echo {quote(refused)} >&2; exit 1; }}"
    let_go = [f"{_VERSIONLOCK} delete {join(locked)}"] if locked else []
    return [*([asked] if hold or locked else []), *let_go]


def _held(family: str, wanted: dict[str, str], hold: bool) -> list[str]:
    if family == "deb":
        return [f"apt-mark {'hold' if hold else 'unhold'} {join(sorted(wanted))}"]
    exact = [f"{name}-{version}.*" for name, version in sorted(wanted.items())]
    return [f"{_VERSIONLOCK} add --raw {join(exact)}"] if hold else []
