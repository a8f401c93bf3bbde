"""The real apt of a node takes what was locked, and refuses everything else."""

from __future__ import annotations

import pytest

from deploy.context import Context
from deploy.packages.repo_run import sync

from . import bench
from .bench import NODE, install, on, serve, update

pytestmark = pytest.mark.lab

REFUSED = {
    "unsigned": (bench.unsigned, "is not signed"),
    "signed by another key": (bench.signed_by_another, "NO_PUBKEY"),
    "changed under its signature": (bench.resigned_text, "BADSIG"),
    "with another list of packages": (bench.changed_index, "Hash Sum mismatch"),
    "expired": (bench.expired, "expired"),
}


def test_it_installs_every_locked_package_at_exactly_its_version(healthy: Context):
    done = update()
    assert done.status == 0, done.text
    wanted = {one.name: one.version for one in healthy.plan.packages.packages}
    done = install(*(f"{name}={version}" for name, version in wanted.items()))
    assert done.status == 0, done.text
    found = on(NODE, "dpkg-query -W -f '${Package} ${Version} ${db:Status-Status}\\n'").text
    installed = {
        name: version
        for name, version, state in map(str.split, found.splitlines())
        if state == "installed"
    }
    assert wanted == {name: installed.get(name) for name in wanted}


def test_a_plain_name_gets_the_locked_version(healthy: Context):
    """By the pins, as the only source has it."""
    assert update().status == 0
    policy = on(NODE, "apt-cache policy chrony").text
    [chrony] = [one for one in healthy.plan.packages.packages if one.name == "chrony"]
    assert f"Candidate: {chrony.version}" in policy
    assert f"{chrony.version} 1001" in policy


@pytest.mark.parametrize("how", REFUSED)
def test_metadata_is_refused_that_is(how: str, healthy: Context, tmp_path):
    spoil, reason = REFUSED[how]
    serve(healthy, tmp_path, spoil)
    first = update()
    assert first.status == 100, first.text
    assert reason in first.text
    assert install("chrony").status == 100
    # And mended by the next apply.
    assert sync(healthy)
    assert update().status == 0
    assert install("chrony").status == 0


@pytest.mark.parametrize("how", REFUSED)
def test_good_lists_are_not_replaced_by_what_is(how: str, healthy: Context, tmp_path):
    """A node that had good metadata keeps it, so that it still knows what is good."""
    assert update().status == 0
    lists = "sha256sum /var/lib/apt/lists/*_InRelease /var/lib/apt/lists/*_Packages*"
    before = on(NODE, lists)
    spoil, _ = REFUSED[how]
    serve(healthy, tmp_path, spoil)
    update()
    assert before.status == 0
    assert on(NODE, lists) == before


def test_a_changed_package_is_not_installed(healthy: Context, tmp_path):
    serve(healthy, tmp_path, bench.changed_package)
    assert update().status == 0
    done = install("chrony")
    assert done.status == 100
    assert "Hash Sum mismatch" in done.text
    assert on(NODE, "dpkg-query -W -f '${db:Status-Status}' chrony").text != "installed"


def test_a_new_signature_reaches_a_node_that_has_an_older_one(healthy: Context, tmp_path):
    """apt takes a file for unchanged when its time is: each release must bring its own."""
    assert update().status == 0
    serve(healthy, tmp_path, bench.expired)
    assert sync(healthy)
    done = update()
    assert done.status == 0, done.text


def test_only_the_nodes_zone_reaches_the_packages(healthy: Context):
    ask = (
        "import socket; s = socket.create_connection(('{}', 8080), 2); "
        "s.sendall(b'GET / HTTP/1.0\\r\\n\\r\\n'); print(s.recv(12))"
    )
    assert "HTTP/1.1" in on(NODE, f'python3 -c "{ask.format("10.88.1.1")}"').text
    for device, address in (
        ("leaf-p1-r0", "10.88.0.1"),
        ("leaf-p1-r0", "10.88.1.1"),
        (NODE, "10.88.0.1"),
    ):
        done = on(device, f'python3 -c "{ask.format(address)}"')
        assert done.status == 1, (device, address, done.text)
        assert "HTTP" not in done.text.splitlines()[-1]


def test_the_server_writes_nothing_and_lists_nothing(healthy: Context):
    ask = (
        "import http.client as h; c = h.HTTPConnection('10.88.1.1', 8080, timeout=5); "
        "c.request('{}', '{}', body=b'x' if '{}' == 'PUT' else None); "
        "print(c.getresponse().status)"
    )
    for method, path, status in (
        ("GET", "/", "403"),
        ("GET", "/../release-x", "400"),
        ("GET", "/MANIFEST", "404"),
        ("PUT", "/new", "403"),
    ):
        script = ask.format(method, path, method)
        assert on(NODE, f'python3 -c "{script}"').text.strip() == status, (method, path)
