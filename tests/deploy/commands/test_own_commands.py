"""The lines of Ansible and pyinfra that a README prints work as printed, in a fresh clone.

Each runs there up to its first connection: a lab's SSH files are in place, and nobody listens. So
the inventory, the playbook or deploy file, roles, plugins and ansible.cfg have to be found, and
the limit has to name hosts. The one thing that may fail is to connect, for each of these hosts.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from inventory import open_site
from inventory.nodes.hostvars import groups
from tests.deploy.nowhere import context_to_nowhere
from tests.newcomer import cloned
from tests.tree import ROOT, files

# The plays with roles, in order. Ansible ends where none of a play's hosts can be reached.
PLAYED = ("kind_oob_server", "kind_node")
STAND_IN = {"SITE": "lab", "NODE": "node-p1-1", "GROUP": "pod_1", "ROLE": "os_base"}
BEFORE = {"$", "env", "time", "sudo", "./railbed", "--launcher-exec"}
ENTRY = ("deploy/playbooks/nodes.yml", "deploy/nodes.py")
LIMIT_S = 60.0

# The locked packages are those of this run; the environment itself is the clone's own, as uv makes
# it (docs.astral.sh/uv/reference/cli): the launcher adds the clone, and scripts hold its path.
UV = f"""#!{sys.executable}
import sys, sysconfig, venv
from pathlib import Path
if sys.argv[1] == "venv":
    made = Path(sys.argv[-1])
    venv.create(made, symlinks=True)
    [site] = made.glob("lib/python3*/site-packages")
    (site / "locked.pth").write_text(sysconfig.get_path("purelib") + chr(10))
    scripts = Path(sysconfig.get_path("scripts"))
    for script in (*scripts.glob("ansible*"), scripts / "pyinfra"):
        _, _, text = script.read_text().partition(chr(10))
        (made / "bin" / script.name).write_text(f"#!{{made}}/bin/python" + chr(10) + text)
        (made / "bin" / script.name).chmod(0o755)
"""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a line ended: its exit status, and both streams as one text."""

    status: int
    said: str


@dataclass(frozen=True, slots=True)
class Fresh:
    """A clone with its environment, and a home in which nothing is."""

    root: Path
    tools: Path
    home: Path

    def run(self, line: str) -> Ended:
        """In a user's shell; only who does not go through the launcher has its tools on PATH."""
        system = "/usr/sbin:/usr/bin:/sbin:/bin"
        path = system if "--launcher-exec" in line else f"{self.tools}:{system}"
        done = subprocess.run(
            ["bash", "-c", typed(line)],
            cwd=self.root,
            env={"PATH": path, "HOME": str(self.home), "LANG": "C.UTF-8"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
        return Ended(done.returncode, done.stdout)

    @contextmanager
    def without(self, name: str) -> Iterator[None]:
        """The clone while a file or folder of it is not there."""
        (self.root / name).rename(self.home / "away")
        yield
        (self.home / "away").rename(self.root / name)


def block_lines(page: str) -> list[str]:
    """The lines of a page's fenced and indented blocks, whole ones where `\\` goes on."""
    kept, is_fenced = [], False
    for line in page.replace("\\\n", " ").splitlines():
        if line.lstrip().startswith("```"):
            is_fenced = not is_fenced
        elif is_fenced or line.startswith("    "):
            kept.append(line.strip())
    return kept


def tool_of(command: str) -> str:
    """Which of the two tools a simple command runs, behind whatever; else nothing."""
    words = [one for one in command.split() if one not in BEFORE and "=" not in one.split("-")[0]]
    name = words[0].rpartition("/")[2] if words else ""
    return name if re.fullmatch(r"ansible(-\w+)?|pyinfra", name) else ""


def _commands(line: str) -> list[str]:
    return re.split(r"&&|\|\|?|;", line.split(" #", maxsplit=1)[0])


def lines_of(page: str) -> list[str]:
    """The lines of a page that run either tool."""
    return [one for one in block_lines(page) if any(map(tool_of, _commands(one)))]


def typed(line: str) -> str:
    """A line with names of the lab for placeholders, less what brings a lab up or asks it."""
    asks = re.compile(r"\./railbed [a-z]")
    parts = [one.strip(" $") for one in _commands(line) if not asks.match(one.strip(" $"))]
    return re.sub(r"\b[A-Z]+\b", lambda word: STAND_IN.get(word[0], word[0]), " && ".join(parts))


def _limited(command: str) -> set[str]:
    """The hosts of the lab that `--limit` leaves; all, if it is not given."""
    known = groups(open_site("lab"))
    named = re.search(r"(?:--limit|-l)[ =](\S+)", command)
    chosen = named[1].split(",") if named else list(known)
    return {host for name in chosen for host in known.get(name, (name,))}


def wrong(line: str, ended: Ended) -> str:
    """What a line did other than to find that nobody of its hosts can be reached; or nothing."""
    command = next(one for one in _commands(typed(line)) if tool_of(one))
    named, known = _limited(command), groups(open_site("lab"))
    if (tool := tool_of(command)) == "ansible-playbook":
        status, met = 4, r"^(\S+) +: ok="
        gone = r"^(\S+) +: ok=\d+ +changed=0 +unreachable=1 +failed=0 "
        plays = [named & set(known[group]) for group in PLAYED]
        hosts, named = next(filter(None, plays), named), {one for play in plays for one in play}
    elif tool == "pyinfra":
        status, met, gone = 1, r"^ +\[(\S+)\]", r"^ +\[(\S+)\] +Could not connect \("
        hosts = named
    else:
        return f"nobody knows how far {tool} comes without a connection"
    tried = [set(re.findall(one, ended.said, re.MULTILINE)) for one in (gone, met)]
    if not hosts or tried != [hosts, named] or ended.status != status:
        return f"status {ended.status}, not {status}; of {sorted(hosts)}:\n{ended.said}"
    return ended.said if "WARNING" in ended.said else ""


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Fresh:
    folder = tmp_path_factory.mktemp("own")
    root, home, uv = cloned(folder / "railbed"), folder / "home", folder / "bin/uv"
    home.mkdir()
    uv.parent.mkdir()
    uv.write_text(UV)
    uv.chmod(0o755)
    env = {"PATH": f"{uv.parent}:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": str(home)}
    info = subprocess.run(
        ["./railbed", "--launcher-info"], cwd=root, env=env, capture_output=True, text=True
    )
    assert info.returncode == 0, info.stderr
    state = root / ".railbed/labs/lab"
    state.mkdir(parents=True)
    context_to_nowhere(state)
    tools = re.search(r"^environment: (.+)$", info.stdout, re.MULTILINE)
    assert tools
    return Fresh(root, Path(tools[1]) / "bin", home)


PAGES = {path: (ROOT / path).read_text() for path in files() if path.name == "README.md"}
PRINTED = sorted({line for page in PAGES.values() for line in lines_of(page)})
PLAY = "ansible-playbook -i inventory/ansible_source.py deploy/playbooks/nodes.yml --limit pod_1"
HOSTS = "pyinfra inventory.pyinfra_source:hosts deploy/nodes.py --limit pod_1 --dry"


@pytest.mark.parametrize("line", PRINTED)
def test_a_printed_line_comes_as_far_as_its_hosts(fresh: Fresh, line: str) -> None:
    assert not wrong(line, fresh.run(line))


def test_no_line_that_sets_up_nodes_is_overlooked() -> None:
    """By another search than the one that finds them."""
    naming = {
        line
        for page in PAGES.values()
        for line in page.splitlines()
        if any(one in line for one in ENTRY) and re.match(r"[ >]*(\$|\./|ansible|pyinfra)", line)
    }
    assert {line.strip() for line in naming} == set(PRINTED)
    assert {tool_of(part) for line in PRINTED for part in _commands(line)} >= {
        "ansible-playbook",
        "pyinfra",
    }


@pytest.mark.parametrize(
    ("page", "found"),
    [
        ("```\n{}\n```", True),
        ("```sh\n$ {}   # all\n```", True),
        ("as follows:\n\n    {}\n", True),
        ("```\nA=b ./railbed --launcher-exec {}\n```", True),
        ("```\n./railbed lab up && ./railbed diff && env A=b {}\n```", True),
        ("```\n./railbed lab up && \\\n    {}\n```", True),
        ("- one:\n  ```\n  {}\n  ```\n", True),
        ("```\nengines: {}\n```", False),
        ("so `{}` is run", False),
    ],
)
@pytest.mark.parametrize("command", [PLAY, HOSTS, "ansible all -m ping"])
def test_a_line_is_found_in_whatever_block_it_stands(page: str, found: bool, command: str) -> None:
    lines = lines_of(page.format(command))
    assert len(lines) == found
    assert all(re.sub(" +", " ", typed(one)).endswith(command) for one in lines)


@pytest.mark.parametrize(
    "line",
    [
        PLAY.replace("nodes.yml", "node.yml"),
        HOSTS.replace("deploy/nodes.py", "deploy/node.py"),
        HOSTS.replace("pod_1", "pod_7"),
    ],
)
def test_a_line_that_does_not_work_is_noticed(fresh: Fresh, line: str) -> None:
    [printed] = lines_of(f"```\n{line}\n```")
    assert wrong(printed, fresh.run(printed))


def test_a_tool_that_nobody_judges_yet_is_noticed() -> None:
    assert wrong("ansible-doc -l", Ended(0, ""))


@pytest.mark.parametrize(
    ("line", "part"),
    [
        (PLAY, "roles/plugins/modules"),
        (HOSTS, ".railbed/labs/lab/ssh/config"),
    ],
)
def test_a_clone_that_lacks_a_part_is_noticed(fresh: Fresh, line: str, part: str) -> None:
    with fresh.without(part):
        assert wrong(line, fresh.run(line))
