"""Builds the signed package repository of a site, and brings it to the OOB server.

Made on the controller from locked files alone, signed there, and sent as one tar stream.
The server holds whole releases and switches between them by one rename, so that a node
never reads half of one.
"""

from __future__ import annotations

import hashlib
import re
import shlex
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import IO

from deploy.context import Context
from deploy.errors import RailbedError
from deploy.lab.locks import held
from deploy.transport.ssh_run import SshTransport, as_root
from inventory.load.site import PUBLIC_KEY
from inventory.plan import Plan
from inventory.software.packages import COMPONENT
from inventory.software.systems import is_rpm
from validation.manifest.device import manifests

from .fetch import cached, missing
from .gpg_run import clearsign, ensure_key
from .index_run import printed
from .pool import file_name
from .rpm_tree_run import make_rpm_tree

# Long enough for a pause between two applies, short enough that nobody can feed a node
# last year's packages (Debian wiki, DebianRepository/Format, Valid-Until).
VALID = timedelta(days=7)
# A node whose clock is slow refuses what was signed in its future, and chrony is among the
# packages that would mend the clock.
BACKDATED = timedelta(days=1)
_LIMIT_S = 600.0

# One line a file: digest and path. No folder yet is an empty answer.
_LIST = "cd {folder}/current 2>/dev/null && find . -type f -exec sha256sum {{}} + || true\n"
# One at a time. Reads a tar with MANIFEST and the files that are new here; the others are
# taken from the release that is served now. Nothing is served before every digest is right.
# A release sent again, because what is served was touched, is another folder.
_RECEIVE = """\
set -eu
umask 022
mkdir -p {folder}
cd {folder}
exec 9>.lock
flock 9
rm -rf next
mkdir next
tar -x -C next --no-same-owner
while read -r digest path; do
    [ -e "next/$path" ] && continue
    mkdir -p "next/${{path%/*}}"
    ln "current/$path" "next/$path"
done < next/MANIFEST
mv next/MANIFEST MANIFEST
(cd next && sha256sum --quiet --strict -c ../MANIFEST)
release="release-$1-$(date +%s)-$$"
mv next "$release"
ln -sfn "$release" current.new
mv -T current.new current
for old in release-*; do [ "$old" = "$release" ] || rm -rf "$old"; done
sync -f .
"""

Manifest = Mapping[str, str]


def folder_of(plan: Plan) -> str:
    """Where the OOB server keeps the packages: the role package_repo serves them from there."""
    return str(manifests(plan).values(plan.oob.name, "package_repo")["package_repo_folder"])


def sync(context: Context) -> bool:
    """Have the OOB server offer exactly the locked packages, signed and not about to expire.

    Returns whether anything was sent; one round trip when nothing was. Raises RailbedError
    when packages are not in the cache (see `supply.prepare`) or the server fails.
    """
    plan, server = context.plan, context.plan.oob.name
    tree = build(plan, context.state_dir, datetime.now(UTC))
    wanted, found = manifest(tree), _served(context)
    if wanted == found:
        return False
    new = sorted(path for path, digest in wanted.items() if found.get(path) != digest)
    before, after = digest_of(found), digest_of(wanted)
    context.journal(server, "packages", "none", before, after, f"begins: {len(new)} files")
    send(context, tree, wanted, new)
    context.journal(server, "packages", "none", before, after, f"done: {len(new)} files")
    size_kib = sum((tree / path).stat().st_size for path in new) // 1024
    context.say(f"packages: {len(new)} files, {size_kib} KiB sent to {server}")
    return True


def pending(context: Context) -> str:
    """What `sync` would do now, in words; nothing is an empty text, and nothing is changed."""
    plan = context.plan
    if not (context.state_dir / PUBLIC_KEY).is_file() or missing(plan.packages.packages):
        return "not all in the cache yet: fetched, signed and sent by apply"
    try:
        found = _served(context)
    except RailbedError as error:
        return f"not known: {error.message}"
    wanted = manifest(build(plan, context.state_dir, datetime.now(UTC)))
    new = sum(found.get(path) != digest for path, digest in wanted.items())
    if wanted == found:
        return ""
    return f"{new} files would be sent to {plan.oob.name}, {len(set(found) - set(wanted))} removed"


def build(plan: Plan, state_dir: Path, now: datetime) -> Path:
    """Return the folder of the repository; made anew when the lock, key or time asks for it.

    Times of an unchanged repository stay, so that it is not sent again: it is signed anew
    when half of its validity has passed.
    """
    ensure_key(state_dir, plan.site)
    folder = state_dir / "packages"
    tree, stamp = folder / "tree", folder / "tree.stamp"
    with held(folder / "tree.lock", lambda: None):
        mark = _mark(plan, state_dir)
        if not (tree.is_dir() and _is_fresh(stamp, mark, now)):
            stamp.unlink(missing_ok=True)
            make(plan, state_dir, tree, now - BACKDATED, now + VALID)
            stamp.write_text(f"{mark}\n{now.isoformat()}\n", encoding="utf-8")
    return tree


def make(plan: Plan, state_dir: Path, tree: Path, date: datetime, valid_until: datetime) -> None:
    """Write a repository of the plan's lock into `tree`, signed: for apt or for dnf.

    SOURCE of apt's: Debian wiki, DebianRepository/Format. Of dnf's only the end is written down.
    """
    if lacking := missing(plan.packages.packages):
        names = ", ".join(package.name for package in lacking)
        raise RailbedError(f"not in the cache: {names}", hint="`railbed packages fetch`")
    shutil.rmtree(tree, ignore_errors=True)
    if is_rpm(plan.packages.os):
        make_rpm_tree(plan, state_dir, tree, valid_until)
        return
    pool = tree / "pool"
    pool.mkdir(parents=True)
    for one in plan.packages.packages:
        shutil.copyfile(cached(one), pool / file_name(one))
    suite = Path("dists") / plan.repo.suite
    index = tree / suite / COMPONENT / f"binary-{plan.packages.arch}"
    index.mkdir(parents=True)
    listed = printed("apt-utils", tree, "apt-ftparchive", "packages", "pool")
    (index / "Packages").write_text(listed, encoding="utf-8")
    release = _release(plan, tree, suite, date, valid_until)
    (tree / suite / "InRelease").write_text(clearsign(state_dir, release), encoding="utf-8")


def manifest(tree: Path) -> dict[str, str]:
    """Path -> SHA-256 of every file below a folder."""
    found = {}
    for path in sorted(one for one in tree.rglob("*") if one.is_file()):
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        found[str(path.relative_to(tree))] = digest
    return found


def digest_of(files: Manifest) -> str:
    """One digest for a whole repository; "" for none."""
    lines = "".join(f"{digest}  {path}\n" for path, digest in sorted(files.items()))
    return hashlib.sha256(lines.encode()).hexdigest() if lines else ""


def send(context: Context, tree: Path, wanted: Manifest, new: list[str]) -> None:
    """Send these files of a repository, and have the server switch to `wanted` as a whole."""
    with tempfile.TemporaryFile() as stream:
        _pack(stream, tree, wanted, new)
        stream.seek(0)
        argv = ["ssh", "-F", str(context.ssh_config), "-T", "-o", "BatchMode=yes", "--"]
        script = _RECEIVE.format(folder=shlex.quote(folder_of(context.plan)))
        remote = as_root(shlex.join(["sh", "-c", script, "sh", digest_of(wanted)[:16]]))
        with tempfile.TemporaryFile() as said:
            status = _ssh([*argv, context.plan.oob.name, remote], stream, said)
            said.seek(0)
            why = " ".join(said.read().decode("utf-8", "replace").split())
    if status:
        raise RailbedError(
            f"{context.plan.oob.name} did not take the packages: {why or f'exit status {status}'}",
            hint="what it served before is still served; run apply again",
            exit_code=1,
        )


def _ssh(argv: list[str], stdin: IO[bytes], said: IO[bytes]) -> int:
    # Files, not pipes: a connection master may stay and keep a pipe open (ssh_run).
    process = subprocess.Popen(argv, stdin=stdin, stdout=said, stderr=said)
    try:
        return process.wait(_LIMIT_S)
    except subprocess.TimeoutExpired:
        return -1
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def _served(context: Context) -> dict[str, str]:
    script = _LIST.format(folder=shlex.quote(folder_of(context.plan)))
    reply = SshTransport(context.ssh_config).run(context.plan.oob.name, script, _LIMIT_S)
    if reply.exit_status != 0:
        raise RailbedError(f"{context.plan.oob.name}: {reply.error}", exit_code=1)
    lines = (
        line.split(maxsplit=1) for line in reply.stdout.decode("utf-8", "replace").splitlines()
    )
    return {path.removeprefix("./"): digest for digest, path in lines}


def _pack(stream: IO[bytes], tree: Path, wanted: Manifest, new: list[str]) -> None:
    lines = "".join(f"{digest}  {path}\n" for path, digest in sorted(wanted.items())).encode()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.GNU_FORMAT) as tar:
        with tempfile.TemporaryFile() as text:
            text.write(lines)
            text.seek(0)
            head = tarfile.TarInfo("MANIFEST")
            head.size = len(lines)
            tar.addfile(head, text)
        for path in new:
            info = tarfile.TarInfo(path)
            status = (tree / path).stat()
            info.size, info.mode = status.st_size, 0o644
            # apt asks whether a file is newer than what it has (RFC 9110, 13.1.3).
            info.mtime = int(status.st_mtime)
            with (tree / path).open("rb") as file:
                tar.addfile(info, file)


def _mark(plan: Plan, state_dir: Path) -> str:
    """Names all that a repository is made of, but the time."""
    key = ensure_key(state_dir, plan.site).read_bytes()
    form = "lists that end"
    text = f"{form}{plan.packages.packages}{plan.packages.arch}{plan.repo.suite}".encode()
    return hashlib.sha256(text + key).hexdigest()


def _is_fresh(stamp: Path, mark: str, now: datetime) -> bool:
    try:
        written, signed = stamp.read_text(encoding="utf-8").split()
        # What was signed in the future, by a clock that was wrong, is not fresh either.
        return written == mark and timedelta() <= now - datetime.fromisoformat(signed) < VALID / 2
    except (OSError, ValueError):
        return False


def _release(plan: Plan, tree: Path, suite: Path, date: datetime, valid_until: datetime) -> str:
    options = {
        "Architectures": plan.packages.arch,
        "Codename": plan.repo.suite,
        "Components": COMPONENT,
        "Label": f"railbed {plan.site}",
        "Origin": "railbed",
        "Suite": plan.repo.suite,
    }
    settings = [f"APT::FTPArchive::Release::{name}={value}" for name, value in options.items()]
    settings += ["APT::FTPArchive::MD5=false", "APT::FTPArchive::SHA1=false"]
    flags = [part for setting in settings for part in ("-o", setting)]
    text = printed("apt-utils", tree, "apt-ftparchive", *flags, "release", str(suite))
    dates = f"Date: {_utc(date)}\nValid-Until: {_utc(valid_until)}"
    return re.sub(r"^Date: .*$", dates, text, count=1, flags=re.MULTILINE)


def _utc(when: datetime) -> str:
    """The only form that apt reads: RFC 1123 in UTC, without a zone by number."""
    return format_datetime(when.astimezone(UTC), usegmt=True).replace("GMT", "UTC")
