"""Packages of a site in one signed folder, for a controller that reaches no mirror.

`SHA256SUMS` names every file, in the form of sha256sum(1); `SHA256SUMS.asc` is its signature by
the key of the site that was exported (gpg(1), --detach-sign). It is taken away before anything is
written, and written last: a folder without it is half done, and is not believed.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from deploy.errors import RailbedError
from deploy.files import write_atomically
from deploy.lab.locks import held
from inventory.load.site import PUBLIC_KEY
from inventory.plan import LockedPackage, Plan
from validation.evidence.aside import aside

from .fetch import cache_folder, cached, is_whole, missing
from .gpg_run import detach, ensure_key, fingerprint_of, signed_by
from .pool import file_name
from .repo_run import manifest

SUMS, SIGNATURE, KEY, ABOUT = "SHA256SUMS", "SHA256SUMS.asc", "key.asc", "site.json"
PINNED = PUBLIC_KEY.with_name("import-key")
_LINE = re.compile(r"([0-9a-f]{64})  (\S+)")


@dataclass(frozen=True, slots=True)
class Carried:
    """What was done: files and bytes that were new there, and who signed the folder."""

    files: int
    size_bytes: int
    fingerprint: str


def export(plan: Plan, state_dir: Path, lock: Path, folder: Path) -> Carried:
    """Write all packages of a plan and its lock into `folder`, signed; goes on where it ended.

    Raises RailbedError for a folder with other things in it, and while a package is not in the
    cache (see `supply.prepare`).
    """
    if lacking := missing(plan.packages.packages):
        names = ", ".join(package.name for package in lacking)
        raise RailbedError(f"not in the cache: {names}", hint="`railbed packages fetch`")
    _refuse_foreign(plan, folder)
    key = ensure_key(state_dir, plan.site).read_text(encoding="utf-8")
    folder.mkdir(parents=True, exist_ok=True)
    packages = {f"packages/{file_name(one)}": one for one in plan.packages.packages}
    locked = lock.read_text(encoding="utf-8")
    # What says whose folder this is comes first: a folder that is in use is not written into.
    texts = {
        ABOUT: _about(plan),
        KEY: key,
        f"versions/{plan.packages.os}-{plan.packages.arch}.yml": locked,
    }
    _only(folder, {*packages, *texts})
    for name, content in texts.items():
        write_atomically(folder / name, content)
    new = {name: one for name, one in packages.items() if not is_whole(folder / name, one)}
    for name, one in new.items():
        _copy(cached(one), folder / name, one)
    sums = "".join(f"{digest}  {name}\n" for name, digest in sorted(manifest(folder).items()))
    write_atomically(folder / SUMS, sums)
    write_atomically(folder / SIGNATURE, detach(state_dir, sums))
    size_bytes = sum(one.size_bytes for one in new.values())
    return Carried(len(new), size_bytes, fingerprint_of(state_dir, key))


def bring(plan: Plan, state_dir: Path, folder: Path, key: str | None) -> Carried:
    """Take all packages of a plan from an exported folder into the cache; goes on as export does.

    `key` is the fingerprint of who may have signed it; else it is the one that was named the last
    time, or this site's own. Raises RailbedError, with nothing taken, and names every file that
    is missing, changed, or not signed for.
    """
    sums = _read(folder, SUMS)
    signer = _signer(state_dir, folder, sums)
    _refuse_unknown(state_dir, folder, signer, key)
    wrong = list(_wrong(folder, sums))
    if ABOUT not in {name for name, _ in wrong}:
        _refuse_other_site(plan, folder)
    wrong += _lacking(plan, folder, _listed(sums))
    if wrong:
        said = "; ".join(f"{name}: {why}" for name, why in sorted(set(wrong)))
        raise RailbedError(
            f"{folder} is not what was exported for this site: {said}",
            f"export it again; the lock that it was made from is in {folder}/versions",
        )
    with held(cache_folder() / "lock", lambda: None):
        new = missing(plan.packages.packages)
        for one in new:
            _copy(folder / f"packages/{file_name(one)}", cached(one), one)
    write_atomically(state_dir / PINNED, f"{signer}\n")
    return Carried(len(new), sum(one.size_bytes for one in new), signer)


def _only(folder: Path, names: set[str]) -> None:
    """Take away what an earlier export, or an interrupted one, left; its signature, too.

    RailbedError, with nothing taken away, where somebody else has put a file.
    """
    found = [path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir()]
    named = {path: str(path.relative_to(folder)) for path in found}
    if foreign := sorted(name for name in named.values() if name not in names and not _ours(name)):
        more = f" and {len(foreign) - 3} more" if len(foreign) > 3 else ""
        raise RailbedError(
            f"{folder} has files that no export wrote: {', '.join(foreign[:3])}{more}",
            hint="export into a folder of its own",
        )
    for path, name in named.items():
        if path.is_symlink() or name not in names:
            path.unlink()


def _ours(name: str) -> bool:
    """What exports write, under its last name or aside."""
    room, slash, _ = name.partition("/")
    tops = (SUMS, SIGNATURE, KEY, ABOUT)
    return room in ("packages", "versions") if slash else name.startswith((*tops, "."))


def _about(plan: Plan) -> str:
    lock = plan.packages
    said = {"site": plan.site, "os": lock.os, "arch": lock.arch, "resolved": lock.resolved}
    return json.dumps(said, indent=1) + "\n"


def _said_of(folder: Path) -> Mapping[str, object]:
    try:
        said = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        said = {}
    return said if isinstance(said, dict) else {}


def _site_of(folder: Path) -> str:
    return str(_said_of(folder).get("site", ""))


def _lacking(plan: Plan, folder: Path, listed: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Packages of the site's lock that the folder has not, and from which other lock it was made.

    An older folder comes by mistake, and its packages are the site's of then.
    """
    lock = plan.packages
    names = {f"packages/{file_name(one)}": one for one in lock.packages}
    lacking = [name for name, one in names.items() if listed.get(name) != one.sha256]
    for name in lacking:
        yield name, "missing: the site's lock names it"
    there, here = (
        " ".join(str(said.get(key, "?")) for key in ("os", "arch", "resolved"))
        for said in (_said_of(folder), json.loads(_about(plan)))
    )
    if lacking and there != here:
        yield ABOUT, f"exported from the lock {there}, the site's is {here}"


def _refuse_foreign(plan: Plan, folder: Path) -> None:
    """Never take away what somebody else put there."""
    if folder.exists() and not folder.is_dir():
        raise RailbedError(f"{folder} is no folder")
    if folder.is_dir() and any(folder.iterdir()) and _site_of(folder) != plan.site:
        of = f"of the site {_site_of(folder)}" if _site_of(folder) else "in use"
        raise RailbedError(f"{folder} is {of}", "name a new folder, or an empty one")


def _read(folder: Path, name: str) -> str:
    try:
        return (folder / name).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "no text"
        raise RailbedError(
            f"{folder / name}: {why}",
            "an export that ended before its time is unsigned: on the machine that made it, "
            f"`railbed packages export {folder}`",
        ) from None


def _signer(state_dir: Path, folder: Path, sums: str) -> str:
    signature, key = _read(folder, SIGNATURE), _read(folder, KEY)
    try:
        return signed_by(state_dir, key, sums, signature)
    except RailbedError as error:
        raise RailbedError(
            f"{folder / SUMS} is not what was signed: {error.message}", "export it again"
        ) from None


def _refuse_unknown(state_dir: Path, folder: Path, signer: str, key: str | None) -> None:
    """Anybody can sign a folder: who may is said once, by a person."""
    known = set()
    if key is not None:
        known.add(re.sub(r"\s", "", key).upper())
    elif (state_dir / PINNED).is_file():
        known.add((state_dir / PINNED).read_text(encoding="utf-8").strip())
    elif (state_dir / PUBLIC_KEY).is_file():
        public = (state_dir / PUBLIC_KEY).read_text(encoding="utf-8")
        known.add(fingerprint_of(state_dir, public))
    if signer not in known:
        wanted = f", expected {', '.join(sorted(known))}" if known else ""
        raise RailbedError(
            f"{folder} is signed by the key {signer}{wanted}",
            "if export said this fingerprint on the other machine: "
            f"`railbed packages import {folder} --key {signer}`",
        )


def _refuse_other_site(plan: Plan, folder: Path) -> None:
    if (site := _site_of(folder)) != plan.site:
        raise RailbedError(f"{folder} is of the site {site or '?'}, expected {plan.site}")


def _listed(sums: str) -> dict[str, str]:
    found = (_LINE.fullmatch(line) for line in sums.splitlines())
    return {one[2]: one[1] for one in found if one}


def _wrong(folder: Path, sums: str) -> Iterator[tuple[str, str]]:
    """Every file that is not as it was signed; names come from the folder, never from the list."""
    listed, found = _listed(sums), manifest(folder)
    for path in folder.rglob("*"):
        if path.is_symlink():
            yield str(path.relative_to(folder)), "a link"
    for name, digest in listed.items():
        if name not in found:
            yield name, "missing"
        elif found[name] != digest:
            yield name, "changed"
    for name in found.keys() - listed.keys() - {SUMS, SIGNATURE}:
        yield name, "not signed for"


def _copy(source: Path, target: Path, one: LockedPackage) -> None:
    """Copy a package; under its name it is whole, or not there."""
    target.parent.mkdir(parents=True, exist_ok=True)
    made = aside(target)
    try:
        shutil.copyfile(source, made)
        if not is_whole(made, one):
            raise RailbedError(f"{source} changed while it was copied", exit_code=1)
        made.replace(target)
    finally:
        made.unlink(missing_ok=True)
