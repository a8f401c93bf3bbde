"""Puts many files in place on a host, in one execution; Ansible sends it there."""

from __future__ import annotations

import base64
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ansible.module_utils.basic import AnsibleModule

DOCUMENTATION = r"""
module: railbed_files
short_description: Put many files in place in one execution
description:
  - Renders each template (C(*.j2)) as M(ansible.builtin.template) does with its defaults, takes
    any other file as it is, and has all the texts in place on the host with one execution of a
    module, owned by root. What that module tells a template of itself (C(ansible_managed), its
    path, its date) is no variable here.
  - A file is replaced in one step. A host that loses its power has the old file or the new one.
    No file is replaced before every new file has been written and validated.
  - Another mode or owner is mended, a link is replaced by the file.
options:
  folders:
    description: Folders to have first, parents first, for all to read, owned by root.
    type: list
    elements: path
    default: []
  files:
    description: The files, in the order in which they are put in place.
    type: list
    elements: dict
    required: true
    suboptions:
      src:
        description: >-
          A template, C(*.j2), found as M(ansible.builtin.template) finds it; or any other file,
          found as M(ansible.builtin.copy) finds it.
        type: str
        required: true
      dest:
        description: The path of the file. Its folder must be there, except in a check.
        type: path
        required: true
      mode:
        description: The permissions, octal, in quotes.
        type: str
        default: "0644"
      validate:
        description: A command that must agree to a new file, whose path is put for C(%s).
        type: str
      loop:
        description: Repeats this file for each item of a list.
        type: raw
      loop_var:
        description: The name of the item, in all that O(files[].loop) repeats and in the template.
        type: str
      when:
        description: Leaves this file out where the condition is not met.
        type: raw
  texts:
    description: The texts by path, in Base64. The action plugin fills it in.
    type: dict
attributes:
  check_mode: {support: full}
  diff_mode: {support: full}
"""

EXAMPLES = r"""
- name: Configure chrony
  railbed_files:
    folders: [/etc/systemd/system/chrony.service.d]
    files:
      - {src: chrony.conf.j2, dest: /etc/chrony/chrony.conf}
      - {src: chrony-service.conf.j2, dest: /etc/systemd/system/chrony.service.d/railbed.conf}
  notify: Restart chrony

- name: Describe the interfaces
  railbed_files:
    files:
      - src: interface.network.j2
        dest: "/etc/systemd/network/50-railbed-{{ roce_nic_interface.name }}.network"
        loop: "{{ roce_nic_interfaces }}"
        loop_var: roce_nic_interface
  notify: Apply the interfaces
"""

RETURN = r"""
paths:
  description: What was changed, or would be.
  returned: always
  type: list
  elements: str
"""

# As ansible-core's MAX_FILE_SIZE_FOR_DIFF.
_DIFF_BYTES = 104448
_FILE: dict[str, dict[str, Any]] = {
    "src": {"type": "str", "required": True},
    "dest": {"type": "path", "required": True},
    "mode": {"type": "str", "default": "0644"},
    **{name: {"type": "str"} for name in ("validate", "loop_var")},
    **{name: {"type": "raw"} for name in ("loop", "when")},
}
_OPTIONS: dict[str, dict[str, Any]] = {
    "folders": {"type": "list", "elements": "path", "default": []},
    "files": {"type": "list", "elements": "dict", "required": True, "options": _FILE},
    # In Base64: what must not be logged is blotted out of the answer, which may hold a diff.
    "texts": {"type": "dict", "no_log": True},
}


class Refused(Exception):
    """What cannot be put in place, in words that name it."""


@dataclass(frozen=True)
class Found:
    """What is at a path: its bytes if it is a regular file, its mode, owner and group."""

    text: bytes | None = None
    attributes: tuple[int, int, int] | None = None


@dataclass(frozen=True)
class File:
    """A file as it is wanted, and what is at its path."""

    path: Path
    text: bytes
    mode: int
    validate: str
    found: Found

    @property
    def new(self) -> Path:
        """The path of the new file; hidden, so that nobody takes it for a file of its own."""
        return self.path.with_name(f".{self.path.name}.railbed-new")

    @property
    def is_other(self) -> bool:
        """Whether the bytes differ, or it is no regular file."""
        return self.found.text != self.text

    @property
    def is_changed(self) -> bool:
        """Whether anything differs."""
        return self.is_other or self.found.attributes != (self.mode, 0, 0)


def look(path: Path) -> Found:
    """Look at a path, following no link. Raises Refused for a folder."""
    try:
        status = path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return Found()
    if stat.S_ISDIR(status.st_mode):
        raise Refused(f"{path} is a folder, a file is wanted there")
    if not stat.S_ISREG(status.st_mode):
        return Found()
    return Found(path.read_bytes(), (stat.S_IMODE(status.st_mode), status.st_uid, status.st_gid))


def wanted(one: dict[str, Any], texts: dict[str, str]) -> File:
    """Read what the task asks for one file. Raises Refused where it makes no sense."""
    path, validate = one["dest"], one["validate"] or ""
    if path not in texts:
        raise Refused(f"{path}: no text has been sent for it")
    if validate and "%s" not in validate:
        raise Refused(f"{path}: validate names no %s")
    try:
        mode = int(one["mode"], 8)
    except ValueError:
        raise Refused(f"{path}: mode {one['mode']} is not octal") from None
    return File(Path(path), base64.b64decode(texts[path]), mode, validate, look(Path(path)))


def is_as_wanted(folder: Path) -> bool:
    """Whether a folder is there, owned by root, for all to read. Raises Refused for a file.

    A link to a folder is none: `make` takes it away.
    """
    try:
        status = folder.lstat()
    except FileNotFoundError:
        return False
    if stat.S_ISLNK(status.st_mode):
        return False
    if not stat.S_ISDIR(status.st_mode):
        raise Refused(f"{folder} is a file, a folder is wanted there")
    return (stat.S_IMODE(status.st_mode), status.st_uid, status.st_gid) == (0o755, 0, 0)


def write_new(module: AnsibleModule, one: File) -> None:
    """Write the new file beside the old one, on the disk. Raises Refused where it is no good."""
    try:
        _write(one)
    except OSError as error:
        raise Refused(f"{one.path}: {error.strerror}") from error
    if one.validate:
        status, out, err = module.run_command(one.validate.replace("%s", str(one.new)))
        if status != 0:
            said = " ".join(f"{out} {err}".split())
            raise Refused(f"{one.path}: the new file does not validate: {said}")


def _write(one: File) -> None:
    # A run that was cut off may have left one.
    one.new.unlink(missing_ok=True)
    handle = os.open(one.new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(one.text)
        file.flush()
        os.fchown(handle, 0, 0)
        os.fchmod(handle, one.mode)
        os.fsync(handle)


def replace(files: list[File]) -> None:
    """Give the new files the names of the old ones, and have the names on the disk."""
    for one in files:
        one.new.replace(one.path)
    for folder in sorted({one.path.parent for one in files}):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        os.fsync(handle)
        os.close(handle)


def make(folders: list[Path]) -> None:
    """Have these folders; a link to one is taken away, what it leads to stays."""
    for folder in folders:
        if folder.is_symlink():
            folder.unlink()
        folder.mkdir(exist_ok=True)
        os.chown(folder, 0, 0)
        folder.chmod(0o755)


def put(module: AnsibleModule, files: list[File]) -> None:
    """Have these files. Raises Refused, and then no file is replaced."""
    for one in files:
        if not one.path.parent.is_dir():
            raise Refused(f"{one.path}: its folder is not there")
    others = [one for one in files if one.is_other]
    try:
        for one in others:
            write_new(module, one)
        replace(others)
    finally:
        for one in others:
            one.new.unlink(missing_ok=True)
    for one in files:
        if not one.is_other:
            os.chown(one.path, 0, 0)
            one.path.chmod(one.mode)


def differences(one: File) -> list[dict[str, Any]]:
    """What ansible-playbook --diff shows of a changed file."""
    path = str(one.path)
    named: dict[str, Any] = {"before_header": path, "after_header": path}
    found = []
    if one.is_other:
        before, after = _shown(one.found.text or b"", "dst"), _shown(one.text, "src")
        found.append({**named, **before, **after})
    if (held := one.found.attributes) and held != (one.mode, 0, 0):
        before, after = _told(*held), _told(one.mode, 0, 0)
        found.append({**named, "before": before, "after": after})
    return found


def _shown(text: bytes, side: str) -> dict[str, Any]:
    if len(text) > _DIFF_BYTES:
        return {f"{side}_larger": _DIFF_BYTES}
    try:
        return {"before" if side == "dst" else "after": text.decode()}
    except UnicodeDecodeError:
        return {f"{side}_binary": 1}


def _told(mode: int, owner: int, group: int) -> dict[str, Any]:
    return {"mode": f"{mode:04o}", "owner": owner, "group": group}


def main() -> None:
    """Compare, then make what differs."""
    module = AnsibleModule(argument_spec=_OPTIONS, supports_check_mode=True)
    try:
        module.exit_json(**outcome(module))
    except (OSError, Refused) as error:
        module.fail_json(msg=str(error))


def outcome(module: AnsibleModule) -> dict[str, Any]:
    """Do what the task asks, or in a check only say it. Raises Refused, OSError."""
    folders = [one for one in map(Path, module.params["folders"]) if not is_as_wanted(one)]
    if not module.check_mode:
        # Before the files are looked at: through a link they would seem to be there.
        make(folders)
    files = [wanted(one, module.params["texts"] or {}) for one in module.params["files"]]
    changed = [one for one in files if one.is_changed]
    if not module.check_mode:
        put(module, changed)
    paths = [str(path) for path in (*folders, *(one.path for one in changed))]
    result: dict[str, Any] = {"changed": bool(paths), "paths": paths}
    if module._diff:  # noqa: SLF001 # how modules are told
        result["diff"] = [
            *({"before": "", "after": f"folder {path}, 0755\n"} for path in folders),
            *(row for one in changed for row in differences(one)),
        ]
    return result


if __name__ == "__main__":
    main()
