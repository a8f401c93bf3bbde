"""The page of the week after, typed in its order on the twin of a stock site that is as planned.

Between its commands happens what each part of it is about: a line is typed on a switch, a port goes
down, a node gets other host keys, a change is merged.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from deploy.lab.faults import port_down, port_up
from deploy.lab.machines import machine
from deploy.lab.paths import LabPaths
from deploy.record.journal import Record
from deploy.rehearsal.rehearse import Asked, rehearse, twin_folder
from deploy.rollout import change
from inventory import open_site
from tests.deploy.command_line import Said, railbed
from tests.deploy.lab.traces import forget
from tests.labs import lab_name
from tests.tree import ROOT

from .test_rehearse import SMALL, SWITCHES, two_rails

pytestmark = [
    pytest.mark.lab,
    pytest.mark.instances(keep=1, files_of="what breaks a real switch goes back"),
]
PAGE = (ROOT / "deploy/WEEK.md").read_text()
PARTS = {
    title: [shlex.split(line)[1:] for line in block.splitlines()]
    for title, block in re.findall(
        r"^## ([^\n]+)\n.*?^```\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL
    )
}
_ROAD = (ROOT / "deploy/contact/README.md").read_text().partition("10 to acceptance\n")[2]
ACCEPTANCE = [shlex.split(line)[1:] for line in _ROAD.split("```")[1].strip().splitlines()]
LEAF, NODE = "leaf-p1-r0", "node-p1-1"
# What tests of its own run, and how: a timer of this machine, a twin of a twin, repositories.
ELSEWHERE = {
    "schedule": ("backups/test_schedule.py", 'railbed("schedule", '),
    "rehearse": ("rehearsal/test_rehearse.py", "return rehearse(asked, "),
    "packages": ("packages/test_refresh.py", 'railbed("packages", "refresh", '),
}
TYPED = ("ip prefix-list STRAY", "seq 5 permit 192.0.2.0/24")


@dataclass
class Week:
    """A twin that is up, as the site of somebody who follows the page from `folder`.

    `applied` is the run of the last `apply`.
    """

    name: str
    site: Path
    folder: Path
    applied: int = 0

    def types(self, words: list[str]) -> Said:
        """A command of the page; its runs and files are those that there are here."""
        here = [words[0], *(self._here(one) for one in words[1:])]
        with pytest.MonkeyPatch.context() as patch:
            # No cable of a twin carries loads, so that its last gate asks for none.
            patch.setattr(change, "apply_site", partial(change.apply_site, loads=False))
            patch.setenv("RAILBED_SITE", str(self.site))
            patch.setenv("RAILBED_LAB", self.name)
            said = railbed(*here)
        if words[0] == "apply":
            with closing(Record(LabPaths(self.name).state / "record.sqlite")) as record:
                self.applied = record.runs()[-1].id
        return said

    def _here(self, word: str) -> str:
        if word == "4":
            return str(self.applied)
        return str(self.folder / word) if word.endswith((".log", ".plan")) else word

    def on_leaf(self, *lines: str) -> None:
        """Somebody logs in to the leaf, types this and saves it."""
        config = LabPaths(self.name).state / "ssh/config"
        typed = ("terminal length 0", "configure", *lines, "end", "write memory", "exit")
        done = subprocess.run(
            ["ssh", "-tt", "-F", str(config), LEAF],
            input="".join(f"{line}\n" for line in typed).encode(),
            capture_output=True,
            timeout=60,
            check=False,
        )
        assert b"%" not in done.stdout, done.stdout.decode()

    def settles(self) -> None:
        """Its sessions come up again."""
        give_up = time.monotonic() + 120
        while self.types(["validate", "--through", "20"]).returncode != 0:
            assert time.monotonic() < give_up

    def is_set_up_anew(self) -> None:
        """The node gets other host keys, and its console prints them (cc_keys_to_console)."""
        script = (
            "rm /etc/ssh/ssh_host_*; ssh-keygen -A >/dev/null; systemctl restart ssh; "
            "cat /etc/ssh/ssh_host_ed25519_key.pub"
        )
        done = machine.inside(self.name, NODE, ["sh", "-c", script], timeout_s=120)
        assert done.returncode == 0, done.stderr.decode()
        text = done.stdout.decode()
        (self.folder / "console").mkdir()
        (self.folder / "console" / f"{NODE}.log").write_text(
            f"-----BEGIN SSH HOST KEY KEYS-----\n{text}-----END SSH HOST KEY KEYS-----\n"
        )


@pytest.fixture(scope="module")
def week(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Week]:
    """The twin after its acceptance: a whole rollout, and one more."""
    folder = tmp_path_factory.mktemp("week")
    site = two_rails(folder / "site", SWITCHES["eos"])
    name = lab_name("week")
    try:
        found = rehearse(Asked(str(site), SMALL, 20), print, keep=True, name=name)
        assert found.exit_code == 0, [one.outcome for one in found.acts]
        yield Week(name, found.twin.folder, folder)
    finally:
        forget(name)
        shutil.rmtree(twin_folder(name), ignore_errors=True)


def is_merged(week: Week) -> None:
    """The change of the page: switches log to a server."""
    path = week.site / "fabric.yml"
    text, head = path.read_text(), "\nswitch_services:\n"
    assert head in text
    path.write_text(text.replace(head, f"{head}  syslog: [172.16.3.9]\n"))


def test_each_command_of_the_week_does_what_its_page_says(week):
    """One test, because a week is: what comes later stands on what was done before."""
    said = dict[str, list[Said]]()
    port = open_site(str(week.site)).switch[LEAF].sessions[0].peer
    before: dict[str, Callable[[], object]] = {
        "Somebody typed on a switch": lambda: week.on_leaf(*TYPED),
        "A link is down": lambda: port_down(week.name, port),
        "A node was set up anew": week.is_set_up_anew,
        "A change window": lambda: is_merged(week),
    }
    for title, commands in PARTS.items():
        before.get(title, lambda: None)()
        said[title] = []
        for words in commands:
            if words[0] not in ELSEWHERE:
                if title == "A link is down" and len(said[title]) == 2:
                    port_up(week.name, port)
                    week.settles()
                said[title].append(week.types(words))
                print(title, words, said[title][-1])
    told = {title: [one.returncode for one in every] for title, every in said.items()}
    assert told == {
        "Every night, and every morning": [0, 0, 0, 0, 0],
        "Somebody typed on a switch": [1, 0, 0, 0],
        "A link is down": [1, 3, 0],
        "A node was set up anew": [1, 0, 0],
        "A change window": [0, 0, 0, 0, 0, 0, 0, 0],
        "Something is slower than it was": [0, 0, 0],
        "New packages": [0],
    }
    typed, link, node = (said[title] for title in list(PARTS)[1:4])
    assert TYPED[1] in typed[1].stdout, "drift masks what nobody planned; accept shows it"
    assert str(port) in link[0].stdout
    assert "SHA256:" in node[0].stdout + node[0].stderr
    assert "172.16.3.9" in said["A change window"][2].stdout


def test_the_road_from_gate_10_to_acceptance(week):
    """But for the rehearsal, which made this twin, and the loads, which no twin has."""
    typed = {
        " ".join(words): week.types(words).returncode
        for words in ACCEPTANCE
        if words[0] != "rehearse" and (words[0] != "validate" or "--dry-run" in words)
    }
    assert typed == {
        "apply --dry-run": 0,
        "apply": 0,
        "validate --through 80 --soak acceptance --dry-run": 0,
        "report": 0,
    }


def test_every_verb_of_the_page_that_is_not_typed_here_has_tests_of_its_own():
    verbs = {words[0] for commands in PARTS.values() for words in commands}
    assert verbs >= {*ELSEWHERE}
    for file, run in ELSEWHERE.values():
        assert run in (ROOT / "tests/deploy" / file).read_text()
    assert len(PARTS) == PAGE.count("\n## ")
