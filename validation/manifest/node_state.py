"""The state probe: what reads a device's manifest back, in one trip.

Seven frames (files, kernel, networks, packages, sshd, strays, units), each with its own time
and status, so that a hanging systemd does not hide a changed file. Nothing is written. No
content of a file leaves the device but what decides: the kernel's arguments of planned names,
which ports a network matches, and those options of sshd that are ours. The time does not depend on
what is found: only files as small as ours are hashed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from inventory.software.systems import Family
from validation.evidence.gather import Ask

from .owned import LARGEST_BYTES, Manifest, OwnedFile

FILES = "railbed-state files"
STRAYS = "railbed-state strays"
PACKAGES = "railbed-state packages"
UNITS = "railbed-state units"
KERNEL = "railbed-state kernel"
NETWORKS = "railbed-state networks"
SSHD = "railbed-state sshd"
LINES = (FILES, KERNEL, NETWORKS, PACKAGES, SSHD, STRAYS, UNITS)
# What a frame may end with besides 0, where the tool's status says something of the device:
# dpkg-query(1) or rpm(8) knows no package of some name; sshd's fatal() (OpenSSH, log.c) refuses
# its files.
MEANT = {PACKAGES: frozenset({1}), SSHD: frozenset({255})}

_ROOT = re.compile(r"(/[A-Za-z0-9._@%+:,=-]+)*")

# `find -type f` reads no pipe, device or link; `-size` counts KiB, rounded up. What stat(1)
# cannot see it tells in its own words, so that "not there" and "cannot look" stay apart.
_FILES = f"""\
set --@PATHS@
stat -c 'stat %a %U %G %s %n|%F' -- "$@" 2>/dev/null
find "$@" -maxdepth 0 -type f -size -{LARGEST_BYTES // 1024 + 1}k -exec sha256sum -- {{}} + \
2>/dev/null
for path do
  [ -e "$path" ] || [ -L "$path" ] ||
    printf 'failed %s|%s\\n' "$path" "$(stat -- "$path" 2>&1 >/dev/null)"
done
exit 0
"""
# A folder that this user may not list, or not enter, looks like an empty one.
_UNREAD = """\
for path in@ENTERED@; do
  [ ! -d "$path" ] || [ -x "$path" ] || printf 'unread %s\\@END@' "$path"
done
for path in@LISTED@; do
  [ ! -d "$path" ] || [ -r "$path" ] || printf 'unread %s\\@END@' "$path"
done"""
# rpm says of a database that it cannot read that nothing is installed, and exits with how many it
# does not know: what every such system has is asked first.
_RPM_READS = "rpm --dbpath=@ROOT@/var/lib/rpm --query --quiet glibc || exit 2\n"
# What packages own, one path a line: of dpkg its lists (dpkg(1), FILES; `dpkg-query --search`
# reads them, too, in four times the time); of rpm what it lists (rpm(8), --list). Which of them
# has a say is the plan's to know: a system of one may have the other installed.
_PACKAGED: Mapping[Family, str] = {
    "deb": """\
packaged() {
  grep -shxF "$@" @ROOT@/var/lib/dpkg/info/*.list || :
}
""",
    "rpm": f"""\
packaged() {{
  {_RPM_READS}\
  rpm --dbpath=@ROOT@/var/lib/rpm --query --all --list | grep -xF "$@" || :
}}
""",
}
# Names may hold anything but NUL.
_STRAYS = """\
owned='
@OWNED@
'
@UNREAD@
set --
for path in@GLOBS@; do
  [ -e "$path" ] || [ -L "$path" ] || continue
  case $owned in *"
$path
"*) continue ;; esac
  set -- "$@" "$path"
  printf '%s\\0' "$path"
done
printf '\\0\\0'
for path do
  set -- "$@" -e "$path"
  shift
done
[ $# -eq 0 ] || packaged "$@"
exit 0
"""
_DPKG_PACKAGES = """\
exec dpkg-query --admindir=@ROOT@/var/lib/dpkg --show --showformat='package\\t${Package}\\t\
${Version}\\t${db:Status-Want}\\t${db:Status-Status}\\n' --@NAMES@
"""
# Locks hold where dnf loads versionlock, and are in the list that its settings name
# (dnf-plugins-core, versionlock; dnf.conf(5), plugins).
_RPM_PACKAGES = """\
set --@NAMES@
locks=
for plugin in @ROOT@/usr/lib/python3*/site-packages/dnf-plugins/versionlock.py; do
  [ -e "$plugin" ] || continue
  ! grep -Eiqs '^plugins[[:blank:]]*=[[:blank:]]*(0|no|false|off)[[:blank:]]*$' \
@ROOT@/etc/dnf/dnf.conf || continue
  locks=$(awk '
BEGIN { on = 1 }
{ gsub(/[[:blank:]]/, "") }
/^enabled=/ { on = tolower($0) ~ /=(1|yes|true|on)$/ }
/^locklist=/ { list = substr($0, 10) }
END { if (on) print list }' @ROOT@/etc/dnf/plugins/versionlock.conf 2>/dev/null)
done
rpm --dbpath=@ROOT@/var/lib/rpm --query \\
  --queryformat '%{NAME}\\t%{EPOCHNUM}:%{VERSION}-%{RELEASE}\\n' -- "$@" |
  awk -F '\\t' -v list="${locks:-/dev/null}" '
BEGIN { while ((getline line < list) > 0) locked[line] }
NF != 2 { unknown = 1; next }
{
  bare = $2
  sub(/^0:/, "", bare)
  want = ($1 "-" $2 ".*" in locked) || ($1 "-" bare ".*" in locked) ? "hold" : "install"
  printf "package\\t%s\\t%s\\t%s\\tinstalled\\n", $1, bare, want
}
END { exit unknown }'
"""
_UNITS = (
    "exec systemctl show --no-pager --property=Names,LoadState,ActiveState,UnitFileState,"
    "NeedDaemonReload,FragmentPath,DropInPaths --@NAMES@"
)
# /dev/null makes grep name the file also where there is only one.
# A command line may hold passwords (of iSCSI, of disks), and names of all that may are known to
# nobody: words are told whose names are planned, or that the role asked for; of others that they
# are there.
_KERNEL = """\
set --@PATHS@
joined() {
  words=
  while IFS= read -r line || [ -n "$line" ]; do
    case $line in '#'*) ;; *) words="$words$line " ;; esac
  done <"$1"
} 2>/dev/null
joined @ROOT@/run/railbed/kernel-arguments
asked=" $words"
told() (
  set -f
  for word in $1; do
    case $asked in *" $word "*) ;; *)
      case ' ||@NAMES@ ' in *" ${word%%=*} "*) ;; *) word='*' ;; esac
    esac
    printf ' %s' "$word"
  done
)
grep -s '' -- /dev/null "$@"
for path do
  [ -e "$path" ] || printf 'failed %s:\\n' "$path"
done
IFS= read -r words <@ROOT@/proc/cmdline || [ -n "$words" ] || exit
printf 'cmdline%s\\n' "$(told "$words")"
printf 'asked %s\\n' "$asked"
for path in@STAGED@; do
  [ ! -e "$path" ] || [ -r "$path" ] || continue # not told: not known
  case $path in
  */grub.cfg) words=$(sed -n '/^[[:space:]]*linux[[:space:]]/{p;q;}' "$path" 2>/dev/null) ;;
  */loader/entries) words=$(sed -n 's/^options[[:space:]]*//p' "$path"/*.conf 2>/dev/null |
    sed '$!s/$/ ||/' | tr '\\n' ' ') ;;
  *) joined "$path" ;;
  esac
  printf 'staged %s|%s\\n' "$path" "$(told "$words")"
done
exit 0
"""
# Files of networks that come before ours, by name, may take our ports from them, and so may a
# drop-in with a [Match] of its own (systemd.network(5)); of other tools, any file that names one.
_FOLDERS = tuple(f"{root}/systemd/network" for root in ("/etc", "/run", "/usr/local/lib"))
_NETWORK_GLOBS = tuple(f"{folder}/*.network" for folder in _FOLDERS)
_DROP_IN_GLOBS = tuple(
    f"{folder}/*.network.d/*.conf" for folder in (*_FOLDERS, "/usr/lib/systemd/network")
)
_NAMING_GLOBS = (
    *(f"{root}/netplan/*.yaml" for root in ("/etc", "/run", "/usr/lib")),
    "/etc/network/interfaces",
    "/etc/network/interfaces.d/*",
    *(f"{root}/NetworkManager/system-connections/*" for root in ("/etc", "/run", "/usr/lib")),
)
_NETWORKS = """\
match() {
  sed -n '/^\\[Match\\]/,/^\\[[^M]/{
    s/^[[:space:]]*Name[[:space:]]*=[[:space:]]*/Name /p
    s/^[[:space:]]*\\(Permanent\\)\\{0,1\\}MACAddress[[:space:]]*=[[:space:]]*/MAC /p
  }' "$1" 2>/dev/null
}
told=$(
@UNREAD@
for path in@FILES@; do [ ! -f "$path" ] || [ -r "$path" ] || printf 'unread %s\\n' "$path"; done
set --
for path in@NETWORKS@; do
  [ -s "$path" ] && [ -r "$path" ] || continue
  set -- "$@" -e "$path"
  printf 'network %s\\n' "$path"
  match "$path"
done
for path in@DROPINS@; do
  [ -r "$path" ] && text=$(match "$path") && [ -n "$text" ] || continue
  set -- "$@" -e "$path"
  printf 'network %s\\n%s\\n' "$path" "$text"
done
for path in @ROOT@/sys/class/net/*; do
  [ -r "$path/address" ] || continue
  mac=
  read -r mac <"$path/address"
  printf 'port %s %s\\n' "${path##*/}" "$mac"
done
for port in@PORTS@; do
  grep -slwF -e "$port" /dev/null@NAMING@ | sed "s|^|names $port |"
done
owned=
[ $# -eq 0 ] || owned=$(packaged "$@") || exit
[ -z "$owned" ] || printf '%s\\n' "$owned" | sed 's/^/packaged /'
) || exit
[ -z "$told" ] || printf '%s\\n' "$told"
printf 'end %s\\n' "$(printf %s "$told" | grep -c '')"
exit 0
"""
# What sshd says it does with all its files, whichever of them says so. It wants a folder that is
# there only while an sshd is starting where a socket starts it; so it gets one that nobody sees.
# The status is sshd's own: it tells one that refuses its files from one that is not there.
_SSHD = """\
ask='exec /usr/sbin/sshd -T'
if [ -d /run/sshd ]; then
  told=$(sh -c "$ask")
else
  told=$(unshare --mount sh -c "mount -t tmpfs none /run && mkdir -m 0755 /run/sshd && $ask")
fi || exit $?
printf '%s\\n' "$told" | grep -E '^(@NAMES@) '
"""


_SHELL: Mapping[Family, Mapping[str, str]] = {
    family: {
        FILES: _FILES,
        KERNEL: _KERNEL,
        NETWORKS: packaged + _NETWORKS,
        PACKAGES: _DPKG_PACKAGES if family == "deb" else _RPM_READS + _RPM_PACKAGES,
        SSHD: _SSHD,
        STRAYS: packaged + _STRAYS,
        UNITS: _UNITS,
    }
    for family, packaged in _PACKAGED.items()
}


def lines(manifest: Manifest) -> tuple[str, ...]:
    """The names of the frames that a manifest needs."""
    needed = {
        FILES: manifest.files or manifest.folders,
        STRAYS: manifest.strays,
        PACKAGES: manifest.packages,
        UNITS: manifest.units,
        KERNEL: manifest.sysctls or manifest.arguments,
        NETWORKS: network_files(manifest) or manifest.ports,
        SSHD: manifest.options,
    }
    return tuple(line for line in LINES if needed[line])


def ask(manifest: Manifest, line: str, root: str = "") -> Ask:
    """The question behind a frame's name; KeyError for a name that is not of `LINES`.

    `root` goes before every path, for a system that lies in a folder; what is asked and how
    stays the same. (systemd is not in a folder, so units are always this system's.)
    """
    if not _ROOT.fullmatch(root):
        raise ValueError(f"{root!r} cannot stand in a script without quoting")
    filled = {**_filling(manifest, line, root), "ROOT": root}
    return Ask(line, _filled(_SHELL[manifest.family][line], filled))


def _filled(text: str, words: Mapping[str, str]) -> str:
    return re.sub(r"@([A-Z]+)@", lambda one: words[one[1]], text)


def _filling(manifest: Manifest, line: str, root: str) -> dict[str, str]:
    """The words of one frame's script; only these are looked for, strays cost a while."""
    if line == STRAYS:
        globs = _globs(manifest, root)
        unread = _unread(globs, "0")
        return {"OWNED": _beside(manifest, root), "GLOBS": _words(globs), "UNREAD": unread}
    if line == KERNEL:
        return {
            "PATHS": _words(parameter_paths(manifest, root)),
            "STAGED": _words(root + arguments.staged for arguments in manifest.arguments),
            "NAMES": _words(
                sorted(
                    {
                        word.partition("=")[0]
                        for arguments in manifest.arguments
                        for word in arguments.words.split()
                    }
                )
            ),
        }
    # What names a port is asked of ports alone.
    read = (*_NETWORK_GLOBS, *_DROP_IN_GLOBS, *(_NAMING_GLOBS if manifest.ports else ()))
    return {
        FILES: {"PATHS": _words(root + path for path in _owned_paths(manifest))},
        PACKAGES: {"NAMES": _words(package.name for package in manifest.packages)},
        UNITS: {"NAMES": _words(unit.name for unit in manifest.units)},
        NETWORKS: {
            "PORTS": _words(port.name for port in manifest.ports),
            "NETWORKS": _words(root + one for one in _NETWORK_GLOBS),
            "DROPINS": _words(root + one for one in _DROP_IN_GLOBS),
            "NAMING": _words(root + one for one in _NAMING_GLOBS),
            "FILES": _words(root + one for one in read),
            "UNREAD": _unread([root + one for one in read], "n"),
        },
        SSHD: {"NAMES": "|".join(option.name for option in manifest.options)},
    }[line]


def parameter_paths(manifest: Manifest, root: str = "") -> dict[str, str]:
    """The file of each kernel parameter, and the parameter's name.

    A name whose first separator is a slash is a path; else dots and slashes change places
    (sysctl.d(5)).
    """
    swap = str.maketrans("./", "/.")
    found = {}
    for sysctl in manifest.sysctls:
        first = re.search(r"[./]", sysctl.name)
        path = sysctl.name if first and first[0] == "/" else sysctl.name.translate(swap)
        found[f"{root}/proc/sys/{path}"] = sysctl.name
    return found


def network_files(manifest: Manifest) -> tuple[OwnedFile, ...]:
    """The files that systemd-networkd compares with ports, in its order: by name."""
    found = [owned for owned in manifest.files if owned.path.endswith(".network")]
    return tuple(sorted(found, key=lambda one: PurePosixPath(one.path).name))


def watcher(manifest: Manifest, path: str) -> str:
    """The role in whose globs a stray lies: that of the longest, where several match."""
    matching = [watched for watched in manifest.strays if fnmatchcase(path, watched.glob)]
    return max(matching or manifest.strays, key=lambda one: (len(one.glob), one.role)).role


def watchers(manifest: Manifest, folder: str) -> set[str]:
    """The roles that have globs below a folder."""
    return {
        watched.role
        for watched in manifest.strays
        if any(fnmatchcase(folder, str(above)) for above in PurePosixPath(watched.glob).parents)
    }


def _words(some: Iterable[str]) -> str:
    """Words of a command: the manifest holds only what needs no quoting."""
    return "".join(f" {one}" for one in some)


def _owned_paths(manifest: Manifest) -> list[str]:
    return sorted(
        {owned.path for owned in manifest.files} | {folder.path for folder in manifest.folders}
    )


def _globs(manifest: Manifest, root: str) -> list[str]:
    return [root + glob for glob in sorted({watched.glob for watched in manifest.strays})]


def _unread(globs: Iterable[str], end: str) -> str:
    """What tells the folders on the way of globs, and those whose names are compared, unread."""
    entered, listed = set(), set()
    for glob in globs:
        for part in (PurePosixPath(glob), *PurePosixPath(glob).parents):
            entered |= {str(path) for path in part.parents}
            if "*" in part.name:
                listed.add(str(part.parent))
    words = {"ENTERED": _words(sorted(entered)), "LISTED": _words(sorted(listed)), "END": end}
    return _filled(_UNREAD, words)


def _beside(manifest: Manifest, root: str) -> str:
    """What is owned in the globs' reach, and the folders that lead there; one a line."""
    owned = set(_owned_paths(manifest))
    owned |= {str(parent) for path in owned for parent in PurePosixPath(path).parents}
    globs = {watched.glob for watched in manifest.strays}
    near = {path for path in owned if any(fnmatchcase(path, glob) for glob in globs)}
    return "\n".join(root + path for path in sorted(near))
