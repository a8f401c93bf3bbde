"""A switch's shell or command line, made up: what a real one prints, and nothing else.

`SHOWN` gives a rendered switch as the system shows it, with a canary in the place of each secret.
"""

from __future__ import annotations

import binascii
import json
import math
import re
import subprocess
from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count, groupby
from pathlib import Path

from deploy.switches.push_session import Reply
from deploy.switches.typed_run import answers
from switch_configs import cli, dialect, is_typed
from switch_configs.intent import ConfigFile, Rendered

CANARY = "c4nary"
ASKED = ("cumulus", "eos", "nxos", "sonic")
SHELLS = tuple(name for name in ASKED if not is_typed(name))
SESSIONS = "show configuration sessions detail | json"
_WORD = re.compile(r"<<secret:\w+>>")
_FRR = "/etc/sonic/frr/frr.conf"
_SHOWS = "show running-config"
_DATABASE = "/etc/sonic/config_db.json"


@dataclass(frozen=True, slots=True)
class Shown:
    """What each program prints for its arguments, with its exit status; files that lie there."""

    programs: Mapping[tuple[str, str], str]
    files: Mapping[str, str] = field(default_factory=dict)
    status: int = 0


def answer(command: str, shown: Shown, folder: Path) -> str:
    """The output of a command in a shell that has these programs, and sed, awk and base64."""
    _programs(shown, folder)
    for path, text in shown.files.items():
        (folder / path.lstrip("/")).parent.mkdir(parents=True, exist_ok=True)
        (folder / path.lstrip("/")).write_bytes(_raw(text))
    here = re.sub(r"(?<=[ =])/(etc|host)/", rf"{folder}/\1/", command)
    done = subprocess.run(
        ["/bin/sh", "-c", here],
        env={"PATH": f"{folder}/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="surrogateescape",
        timeout=60,
    )
    assert CANARY not in done.stderr
    return done.stdout.replace(f"{folder}/", "/")


@dataclass
class Typing:
    """A session at a command line that shows this."""

    shown: Shown

    def run(self, command: str, timeout_s: float) -> Reply:
        assert timeout_s
        text = next((said for at, said in self.shown.programs.items() if at[1] == command), None)
        if text is None or text.lstrip().startswith("% ") or self.shown.status:
            return Reply("", "% Invalid input", 1)
        return Reply(text, "", 0)

    def send(self, file: ConfigFile, timeout_s: float) -> Reply:
        raise AssertionError(file.path, timeout_s)

    def close(self) -> None:
        """There is nothing to end."""


def state(name: str, shown: Shown, folder: Path) -> str:
    """What a switch says as evidence, in its shell or at its command line."""
    command, spoken = dialect(name).state_command(), cli(name)
    if spoken is None:
        return answer(command, shown, folder)
    return "".join(one.out for one in answers(Typing(shown), spoken.looks, command, math.inf))


def _raw(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _programs(shown: Shown, folder: Path) -> None:
    (folder / "bin").mkdir(exist_ok=True)
    cases: dict[str, str] = {}
    for number, ((program, said), text) in enumerate(sorted(shown.programs.items())):
        (folder / f"bin/{number}.shown").write_bytes(_raw(text))
        cases.setdefault(program, "")
        cases[program] += f"'{said}') cat '{folder}/bin/{number}.shown'; exit {shown.status};;\n"
    for program, lines in cases.items():
        path = folder / "bin" / program
        path.write_text(f'#!/bin/sh\ncase "$*" in\n{lines}esac\necho "% Invalid input"; exit 1\n')
        path.chmod(0o755)


def decoded(output: str) -> str:
    """An answer with the bytes of its parts beside it."""
    found = [output]
    for is_frame, lines in groupby(output.splitlines(), key=_is_frame):
        if not is_frame:
            found.append(_bytes("".join(lines)))
    return "\n".join(found)


def _is_frame(line: str) -> bool:
    return " " in line or line.startswith("railbed")


def _bytes(text: str) -> str:
    try:
        return b64decode(text).decode("utf-8", "replace")
    except binascii.Error:
        return ""


def fetched(name: str, shown: Shown, folder: Path) -> str:
    """What the fetch command brings, secrets and all."""
    if name == "eos":  # as its command line answers, sessions first
        return f'{{"sessions": {{}}}}\n{shown.programs["running", _SHOWS]}'
    if name == "nxos":  # its command line is no shell
        return f"railbed-fetch 1\n{shown.programs['running', _SHOWS]}railbed-fetch end\n"
    return answer(dialect(name).fetch_command(), shown, folder)


def _canaries(text: str, form: str = "{}") -> str:
    numbers = count(1)
    return _WORD.sub(lambda _: form.format(f"{CANARY}{next(numbers)}"), text)


def _cumulus(rendered: Rendered, more: str) -> Shown:
    files = {one.path: one.text for one in rendered.files}
    text = files.pop("/etc/nvue.d/startup.yaml")
    text = _canaries(text, "$nvsec${}").partition("\n")[2]
    programs = {("nv", "config show"): text + more, ("nv", "config diff startup applied"): ""}
    return Shown(programs | {("nv", "config revision -o json"): "{}"}, files)


def _eos(rendered: Rendered, more: str) -> Shown:
    text = _canaries(rendered.files[0].text)
    text = re.sub(r"key 0 (\S+)", r"key 7 \1", text)
    text = re.sub(r"v3 auth", "v3 localized f5717f44", text)
    text = text.replace("f5717f44 ", "f5717f44 auth ").removesuffix("end\n")
    text = f"! Command: show running-config\n{text}{more}end\n"
    # A switch that ignores the word `sanitized`: the mask alone has to do.
    programs = {("running", f"{_SHOWS}{more}"): text for more in ("", " sanitized")}
    return Shown(programs | {("sessions", SESSIONS): '{"sessions": {}}\n'})


def _nxos(rendered: Rendered, more: str) -> Shown:
    text = re.sub(r"key 0 (<<\S+>>)", r'key 7 "\1"', rendered.files[0].text)
    text = _canaries(re.sub(r"( priv aes-128 \S+)", r"\1 localizedkey", text))
    text = f"\n!Command: show running-config\n\n{text}{more}"
    frame = {
        ("echo", f"echo {one}"): f"{one}\n" for one in ("railbed-fetch 1", "railbed-fetch end")
    }
    return Shown(frame | {("running", _SHOWS): text})


def _sonic(rendered: Rendered, more: str) -> Shown:
    """`more` are tables as JSON, a line `-- frr`, and lines of FRR."""
    tables, _, lines = more.partition("-- frr\n")
    files = {one.path: _canaries(one.text) for one in rendered.files}
    database = json.loads(files[_DATABASE])
    for name, rows in json.loads(tables or "{}").items():
        database[name] = database.get(name, {}) | rows
    files[_DATABASE] = json.dumps(database, indent=4) + "\n"
    files[_FRR] += lines
    said = f"Building configuration...\n\nCurrent configuration:\n!\n{files[_FRR]}!\nend\n"
    programs = {
        ("sonic-cfggen", "-d --print-data"): json.dumps(database),
        ("docker", "exec bgp vtysh -c show running-config"): said,
    }
    return Shown(programs, files)


SHOWN: dict[str, Callable[[Rendered, str], Shown]] = {
    "cumulus": _cumulus, "eos": _eos, "nxos": _nxos, "sonic": _sonic,
}  # fmt: skip


def cuts(text: str) -> Iterator[str]:
    """A text cut after some of its lines, and in the last one."""
    lines = text.splitlines(keepends=True)
    for at in sorted({0, 1, 2, len(lines) // 3, len(lines) // 2} & set(range(len(lines)))):
        yield "".join(lines[:at])
    yield text.rstrip()[:-1]


def masked(name: str, made: Rendered, lines: str, folder: Path) -> str:
    """What a switch says as evidence that holds these lines too, `%s` being secret.

    A secret that is shown fails here, and so does an answer that `running` does not read.
    """
    shown = SHOWN[name](made, lines.replace("%s", CANARY))
    assert CANARY in decoded(fetched(name, shown, folder))
    said = state(name, shown, folder)
    text = decoded(said)
    assert CANARY not in text
    assert CANARY not in str(dialect(name).running(made.device, said))
    return text
