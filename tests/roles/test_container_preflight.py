"""What speaks against the container engine: settings of others, and containers that would end."""

from __future__ import annotations

from pathlib import Path

import pytest

from .node_tree import Node

DAEMON = "/etc/docker/daemon.json"
APPLIED = "/var/lib/railbed-container_runtime.applied"


def node(root: Path) -> Node:
    return Node(root, "container_runtime", "railbed-cdi", "cdi", {}, settings="railbed-cdi.conf")


def said(on: Node, engine: str = "containerd") -> list[str]:
    script = on.text("preflight.sh.j2", {"container_runtime_engine": engine})
    done = on.run(program=script)
    lines = done.stderr.splitlines()
    assert (done.returncode, done.stdout) == (1 if lines else 0, "")
    assert all(line.startswith("found ") and ", expected " in line for line in lines)
    return lines


@pytest.mark.parametrize("engine", ["containerd", "docker"])
def test_nothing_speaks_against_a_new_node(tmp_path, engine):
    assert said(node(tmp_path), engine) == []


def test_a_description_of_gpus_by_hand_is_refused(tmp_path):
    on = node(tmp_path)
    on.write("/etc/cdi/nvidia.yaml", "cdiVersion: 0.5.0\n")
    assert "/etc/cdi/nvidia.yaml" in said(on)[0]


@pytest.mark.parametrize(("live", "refused"), [("true", False), ("false", True), ("", True)])
def test_docker_that_would_end_its_containers_is_refused(tmp_path, live, refused):
    on = node(tmp_path)
    on.tool("docker", f'case $1 in ps) echo 4f5a; echo 9c1b ;; info) echo "{live}" ;; esac')
    lines = said(on, "docker")
    assert bool(lines) == refused
    assert not refused or "2 running containers and docker without live-restore" in lines[0]
    assert said(on, "containerd") == []


def test_docker_without_containers_is_restarted(tmp_path):
    on = node(tmp_path)
    on.tool("docker", "exit 0")
    assert said(on, "docker") == []


def test_settings_of_others_are_not_overwritten(tmp_path):
    on = node(tmp_path)
    on.write(DAEMON, '{"data-root": "/raid/docker"}\n')
    on.write("/etc/containerd/config.toml", 'version = 2\nroot = "/raid/containerd"\n')
    assert [line.split(",")[0] for line in said(on, "docker")] == [
        f"found {tmp_path}{DAEMON} of others",
        f"found registries or folders of others in {tmp_path}/etc/containerd/config.toml",
    ]
    # Ours are ours.
    on.write(APPLIED, "x\n")
    assert said(on, "docker") == []


def test_the_file_of_debians_package_is_no_setting_of_others(tmp_path):
    """containerd 1.6.20~ds1-1+deb12u3, /etc/containerd/config.toml."""
    on = node(tmp_path)
    text = (
        'version = 2\n\n[plugins]\n  [plugins."io.containerd.grpc.v1.cri"]\n'
        '    [plugins."io.containerd.grpc.v1.cri".cni]\n      bin_dir = "/usr/lib/cni"\n'
        '      conf_dir = "/etc/cni/net.d"\n  [plugins."io.containerd.internal.v1.opt"]\n'
        '    path = "/var/lib/containerd"\n'
    )
    on.write("/etc/containerd/config.toml", text)
    assert said(on) == []
