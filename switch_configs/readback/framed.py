"""What a switch with a POSIX shell holds, asked by one command and read from its answer.

The answer is a line `railbed-fetch 1`, then parts, then `railbed-fetch end`. A part is one head
line and its bytes in base64 lines, so that no byte of a file can look like a head:
`file PATH OWNER GROUP MODE BYTES`, `odd PATH` (there, but no plain file), or
`NAME EXIT_STATUS BYTES` of a command's output.
"""

from __future__ import annotations

import binascii
from base64 import b64decode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from switch_configs.errors import DialectError

_BEGIN = "railbed-fetch 1"
_END = "railbed-fetch end"


@dataclass(frozen=True, slots=True)
class Held:
    """A path as it lies on the device; `mode` is "odd" where it is no plain file."""

    path: str
    owner: str
    group: str
    mode: str
    text: str


@dataclass(frozen=True, slots=True)
class Answer:
    """The paths that are there, sorted; each command's output, None where it failed."""

    held: tuple[Held, ...]
    outputs: dict[str, str | None]


def question(paths: Iterable[str], commands: Mapping[str, str], owner: str) -> str:
    """One read-only shell command for these files and the outputs of these commands, by name.

    `owner` is how stat(1) prints it: `%U %G` by name, `%u %g` by number.
    """
    outputs = "".join(
        f"r=$({command} 2>/dev/null); "
        f'echo "{name} $? $(printf "%s\\n" "$r" | wc -c)"; printf "%s\\n" "$r" | base64; '
        for name, command in commands.items()
    )
    return (
        f"echo {_BEGIN}; for f in {' '.join(paths)}; do "
        f'if [ -f "$f" ] && [ ! -L "$f" ]; then stat -c "file %n {owner} %a %s" "$f"; base64 "$f"; '
        'elif [ -e "$f" ] || [ -L "$f" ]; then echo "odd $f"; fi; done; '
        f"{outputs}echo {_END}"
    )


def answer(device: str, output: str, names: frozenset[str]) -> Answer:
    """The parts of an answer; `DialectError` when it is cut, doubled or was changed on its way."""
    held: list[Held] = []
    outputs: dict[str, str | None] = {}
    for head, content in _parts(device, output):
        match head:
            case ["file", path, owner, group, mode, size] if size == str(len(content)):
                held.append(Held(path, owner, group, mode.zfill(4), _text(content)))
            case ["odd", path] if not content:
                held.append(Held(path, "", "", "odd", ""))
            case [name, status, size] if (
                name in names and name not in outputs and size == str(len(content))
            ):
                outputs[name] = _text(content) if status == "0" else None
            case _:
                raise _broken(device, f"the part '{' '.join(head)}' is not whole, or there twice")
    if set(outputs) != names or len({one.path for one in held}) != len(held):
        raise _broken(device, "a part is missing or there twice")
    return Answer(tuple(sorted(held, key=lambda one: one.path)), outputs)


def _parts(device: str, output: str) -> list[tuple[list[str], bytes]]:
    """Each head with its bytes."""
    lines = output.replace("\r", "").strip().splitlines()
    if len(lines) < 2 or lines[0] != _BEGIN or lines[-1] != _END:
        raise _broken(device, "its first or last line is missing")
    parts: list[tuple[list[str], list[str]]] = []
    for line in lines[1:-1]:
        if " " in line:
            parts.append((line.split(), []))
        elif parts:
            parts[-1][1].append(line)
        else:
            raise _broken(device, "it begins with bytes of no file")
    try:
        return [(head, b64decode("".join(text), validate=True)) for head, text in parts]
    except binascii.Error as error:
        raise _broken(device, str(error)) from None


def _text(content: bytes) -> str:
    return content.decode("utf-8", "backslashreplace")


def _broken(device: str, why: str) -> DialectError:
    return DialectError(
        f"{device}: the answer to the fetch command cannot be read: {why}",
        "run it again; a login banner or a cut connection changes what comes back",
    )
