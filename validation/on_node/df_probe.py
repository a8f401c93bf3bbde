"""Runs on a node, with nothing but python3: sends and answers jumbo packets with DF set.

    df_probe.py serve TOKEN SECONDS PORT ADDRESS...   answer in the background, print the pid
    df_probe.py send FOLDER JSON...                   send all that is asked, wait, and write each
                                                      result as JSON to FOLDER/probe-N, N from 0

The socket uses IP_PMTUDISC_PROBE (ip(7)): DF is set and the kernel's cached path MTU is
ignored, so an earlier failure towards the same node cannot decide this one. The responder
answers short and only to packets that carry this run's token, and ends by itself.
"""

from __future__ import annotations

import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
import time
import traceback
from pathlib import Path
from typing import Any

Ask = dict[str, Any]
Heard = dict[int, dict[str, Any]]

IP_MTU_DISCOVER = 10  # linux/in.h
IP_PMTUDISC_PROBE = 3
IP_RECVTOS = 13
IP_AND_UDP_BYTES = 28
IP_AND_ICMP_BYTES = 28
SMALL_BYTES = 100
TRIES = 3
WAIT_S = 0.4
GAP_S = 0.002  # keeps a row of jumbo packets from being dropped in a short queue


def _tos_of(ancillary: list[tuple[int, int, bytes]]) -> int | None:
    for level, kind, data in ancillary:
        if (level, kind) == (socket.IPPROTO_IP, socket.IP_TOS):
            return data[0]
    return None


def _socket(address: str, port: int, tos: int | None) -> socket.socket:
    made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    made.setsockopt(socket.IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_PROBE)
    made.setsockopt(socket.IPPROTO_IP, IP_RECVTOS, 1)
    if tos is not None:
        made.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, tos)
    made.bind((address, port))
    return made


def serve(token: str, seconds: int, port: int, addresses: list[str]) -> int:
    """Bind first, so that a printed pid means an answering responder."""
    sockets = [_socket(address, port, None) for address in addresses]
    pid = os.fork()
    if pid:
        print(pid)  # noqa: T201 - the answer of this command
        return 0
    os.setsid()
    for number in (0, 1, 2):
        os.dup2(os.open(os.devnull, os.O_RDWR), number)
    signal.alarm(seconds)
    while True:
        for one in select.select(sockets, [], [])[0]:
            _answer(one, token.encode())


def _answer(one: socket.socket, token: bytes) -> None:
    data, ancillary, _, sender = one.recvmsg(65535, 256)
    if not data.startswith(token):
        return
    tos = _tos_of(ancillary)
    told = {"host": socket.gethostname(), "bytes": len(data), "tos": tos}
    mark = [(socket.IPPROTO_IP, socket.IP_TOS, bytes([tos or 0]))]
    try:
        one.sendmsg([token + json.dumps(told).encode()], mark, 0, sender)
    except OSError:
        return


def _bound(ask: Ask, count: int) -> dict[int, socket.socket]:
    """Sockets on `count` source ports; one that is in use here is passed over."""
    found: dict[int, socket.socket] = {}
    port = ask["first_port"]
    while len(found) < count and port < 65536:
        try:
            found[port] = _socket(ask["source"], port, ask["tos"])
        except OSError as error:
            if error.errno != 98:  # EADDRINUSE
                raise
        port += 1
    return found


def _exchange(ask: Ask, sockets: dict[int, socket.socket], ip_bytes: int) -> Heard:
    token = ask["token"].encode()
    packet = token.ljust(ip_bytes - IP_AND_UDP_BYTES, b"\0")
    heard: Heard = {}
    for _ in range(TRIES):
        for port in sorted(set(sockets) - {key for key, one in heard.items() if "host" in one}):
            try:
                sockets[port].sendto(packet, (ask["target"], ask["port"]))
            except OSError as error:
                heard[port] = {"error": os.strerror(error.errno or 0)}
            time.sleep(GAP_S)
        _collect(ask, sockets, len(packet), heard)
        if all("host" in heard.get(port, {}) for port in sockets):
            break
    return heard


def _collect(ask: Ask, sockets: dict[int, socket.socket], size: int, heard: Heard) -> None:
    token, end = ask["token"].encode(), time.monotonic() + WAIT_S
    while (left := end - time.monotonic()) > 0:
        waiting = [one for port, one in sockets.items() if "host" not in heard.get(port, {})]
        if not waiting:
            return
        for one in select.select(waiting, [], [], left)[0]:
            try:
                data, ancillary, _, peer = one.recvmsg(4096, 256)
            except OSError:
                continue
            if peer[0] != ask["target"] or not data.startswith(token):
                continue
            told = json.loads(data[len(token) :])
            if told["bytes"] == size:
                heard[one.getsockname()[1]] = {**told, "tos_back": _tos_of(ancillary)}


def _pings(asks: list[Ask]) -> list[dict[str, Any]]:
    """ICMP of all, side by side.

    Before all else: a packet that is too large leaves the kernel a path MTU that ping(8) obeys.
    """
    subprocess.run(["ip", "route", "flush", "cache"], check=False)
    try:
        started = [_ping(ask) for ask in asks]
    except FileNotFoundError:
        return [{"exit": 127, "received": 0, "said": "this node has no ping"} for _ in asks]
    return [_pinged(popen) for popen in started]


def _ping(ask: Ask) -> subprocess.Popen[str]:
    size = str(ask["ip_bytes"] - IP_AND_ICMP_BYTES)
    line = ["ping", "-n", "-q", "-M", "do", "-s", size, "-c", "3", "-i", "0.2", "-w", "2"]
    line += ["-I", ask["source"], ask["target"]]
    return subprocess.Popen(line, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def _pinged(ping: subprocess.Popen[str]) -> dict[str, Any]:
    said, _ = ping.communicate()
    counted = re.search(r"(\d+) received", said)
    received = int(counted[1]) if counted else 0
    return {"exit": ping.returncode, "received": received, "said": said[-600:]}


def send(folder: Path, asks: list[Ask]) -> int:
    """ICMP, then UDP one probe after the other; what one comes to stops no other.

    What went wrong with a probe lies beside its result, in FOLDER/probe-N.err.
    """
    for number, (ask, icmp) in enumerate(zip(asks, _pings(asks))):  # noqa: B905 - Python 3.9
        file, why = folder / f"probe-{number}", ""
        try:
            file.with_suffix(".part").write_text(json.dumps({**_sent(ask), "icmp": icmp}) + "\n")
            file.with_suffix(".part").replace(file)
        except OSError:
            why = traceback.format_exc()
        file.with_suffix(".err").write_text(why)
    return 0


def _sent(ask: Ask) -> dict[str, Any]:
    """First small packets, to tell a lost path from a short MTU; then whole ones."""
    sockets = _bound(ask, ask["ports"])
    try:
        small = _exchange(ask, sockets, SMALL_BYTES)
        full = _exchange(ask, sockets, ask["ip_bytes"])
    finally:
        for one in sockets.values():
            one.close()
    ports = [
        {"port": port, "small": small.get(port, {}), "full": full.get(port, {})}
        for port in sorted(sockets)
    ]
    return {"id": ask["id"], "ip_bytes": ask["ip_bytes"], "tos": ask["tos"], "ports": ports}


def main(words: list[str]) -> int:
    """The two commands above."""
    if words[0] == "serve":
        return serve(words[1], int(words[2]), int(words[3]), words[4:])
    return send(Path(words[1]), [json.loads(word) for word in words[2:]])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
