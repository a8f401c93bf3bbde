"""What a program said on its standard error, as far as it may be kept and shown.

Whatever it was given may stand there: a line of a file, an argument, an answer of somebody else. No
list of words knows all secrets, so the rule is the other way round: shown are the words that error
messages share, small numbers, addresses, names of ports and paths of system folders, and what stood
in the command itself. Of the rest it is said that there was something; of a line with nothing that
may be shown there is a digest, so that two of them can be told apart.
"""

from __future__ import annotations

import errno
import os
import re
from functools import lru_cache, partial
from hashlib import blake2b

from .unread import KEY, SHARED

HIDDEN = "*"
_PART = re.compile(
    r"(?P<digest>#[0-9a-f]{8}\b)"
    # Of ssh(1), and of Open MPI 4.1 (help-errmgr-base.txt, help-orterun.txt).
    r"|(?P<form>\bPermission denied \((?:[a-z]{1,10}(?:-[a-z]{1,11}){0,3}[,)])+"
    # Of perftest, and of what starts it (validation/pairing).
    r"|\b[a-z][a-z0-9_.-]{0,31} has no RoCE v2 GID of [0-9a-f:.]{2,45}"
    r"|\bIB device [a-z][a-z0-9_.-]{0,31} not found"
    r"|\bHost key verification failed|\bno hostkeys available"
    r"|\bwith PID \d{1,7} on node [a-z][a-z0-9.-]{0,40}"
    r"|\bRemote daemon:\s+\[\[\d{1,7},\d\],\d{1,6}\] on node [a-z][a-z0-9.-]{0,40})"
    r"|(?P<path>(?<![\w/.-])/(?:bin|boot|dev|etc|home|lib|mnt|nowhere|opt|proc|root|run|sbin|srv|sys"
    r"|tmp|usr|var)(?:/[\w.@+-]{1,64})*)"
    r"|(?P<mac>\b(?:[0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}\b)"
    r"|(?P<ipv4>\b(?:\d{1,3}\.){3}\d{1,3}\b)"
    r"|(?P<pci>\b[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]\b)"
    r"|(?P<word>[^\W_]+)"
)
_SHORT = re.compile(r"([A-Za-z]*)([0-9]{0,5})([A-Za-z]{0,2})")
# After one of these a number or an address is no figure of a message.
_ANNOUNCES = re.compile(
    r"(?i)pass|pwd|psk|secret|token|bearer|basic|auth|\bkey\b|cak|snmp|communit|credential|recovery"
    r"|\bpin|otp\b"
)
# So many digits are no figure either where a line announces anything, before or behind.
_LONG_NUMBER = 4
_UNITS = frozenset({"", "b", "g", "gb", "k", "kb", "m", "mb", "ms", "ns", "s", "us", "x"})
_WORD = re.compile(r"[^\W_]")
_RUN = re.compile(r"\*(?:[^\w\n]*\*)+")
_MOST_WHY = 160

_WORDS = frozenset(
    """
    a able abort aborted about accept access acs active actually addr address addressed
    addresses after again agree aka all allocate allowed already also an and another any apply
    apt are arg argument arguments as aside ask asked at attempt attribute authenticationmethods
    authorizedkeyscommand authorizedkeyscommanduser authorizedprincipalscommand available back
    bad base bash be because been before begin belongs below bfdd bgp bgpd bin binary bit broke
    broken buffer build bus busybox but by bytes call called can cannot cannt card cat cdi
    change changed channel channels check child chrony chronyc cipher ciphers class cleanly
    client close closed cnf code command commands communicate complain complete completed
    completion condition conf config configuration configurations configure configured confirm
    conflict connect connected connection connections could couldn count cq create created cuda
    curl daemon daemons dash data dcb dcgmi dd deadlock debug default defined delete denied
    depends deprecated detected device devices did differs directive directory disabled disk
    disks display dnf do does doesn done down dpkg drive driver due dump during each early echo
    either empty enabled end ended ends enough entity entry environment eof err error errors etc
    eth ethtool event exceeded exchange exec executable execute executed execution exist exists
    exit exited exiting expected expired extra fabricmanager fail failed failure fallback
    falling fatal fd fetch few field file filename files filesystem find fio firmware
    first flag flow folder folders for fork format found free from frr full function gds
    gdscheck gdsio get gib gid give given go gone got gpg gpu gpus grater greater grep group had
    handle handshake hang hangup has have head header help here hgx hint hold host hostkey
    hostkeys hosts ib id identify identity if ifquery ignored illegal image implemented in
    inactive include incomplete incorrect indirect info init initialize input instance integer
    interface internal interrupted into invalid invalidated iperf iproute ipv is isn it its job
    jq json just keepalive kernel kex keys keyword kib kill killed known large last late latency
    leaf least left length less level libraries library like limit line lines link list listen
    listening lldpcli lldpctl load loaded local lock locked log login long lost low ls mac
    machine main make making many map marker match maximum maxsessions maxstartups may memory
    message method methods mib middle min mine mismatch missing mkdir mktemp mlnx mlx mlxconfig
    mlxlink mlxreg mode models module modules more most mount mounted mountpoint mpi mpirun mstflint
    mstlink must name named names nccl near need needed netlink netplan network networkctl
    networkd networkmanager never new newer next nft nic nics nmcli no node nodes none not
    nothing notice noticed now npu nsenter null number numbers nv nvidia nvlink nvme nvml nvue
    object of ofed off offline old ompi on one only onto oob open opened openmpi operation
    option options or order orted ospf other others out output over own owner package packages
    page parameter parameters parent parse parser parsing part partition passwordauthentication
    path peer pending per perf perftest permission permitted pfc pid ping pipe place please
    point policy poll port ports position possible prepare present prevented previous printf
    privilege problem proc process processes profile program prohibit protocol provide prted
    prterun ps publickey pyinfra python qos qp queue queues quiet quit quota rail railbed rails
    range rank rdma read readable reading real reason received redis refused register registered
    rejected reload remote remove renamed repeated reply report request requested require
    required reset resolution resolve resource response restart result retry return returned
    returning returns rm roce rocev root route router rpm run runner running said same satisfied
    say says sbin scnt scratch script search section sed see seems segmentation send sending
    sent separation serve served server service session set setting settings setup sh shared
    shell should show shown signal silent since size slow smartctl smi so socket some something
    sonic space spare spec specified spine ssh sshd start started starting stat state staticd
    status stderr stdin stdout stop stopped storage stream string su such sudo sum superuser
    support supported sure switch symbol syntax sys sysctl sysfs system systemctl systemd table
    take taken target tc tcp tee temporarily temporary terminal terminated terminating test than
    that the their them then there these they this through time timed timeout tmp to too tool
    transfer transport tried truncated try trying tuning type typed ucx udp umount unable
    unavailable under unexpected unit unix unknown unlink unmanaged unreachable unreadable
    unrecognized unshare unsupported until up update usage use used user using usr usual value
    values var variable vendor verification verify version via virtual vty vtysh wait waited
    waiting want wanted warn warning was watchfrr were what when where which while who whole why
    will with within without work worked workers world would write writing written wrong xargs
    xid yaml yang yet you zebra zero zypper
    """.split()  # noqa: SIM905  a list of words is read as words
)
_KNOWN = (
    SHARED
    | _WORDS
    | frozenset(
        word.lower()
        for number in errno.errorcode
        for word in re.findall("[A-Za-z]+", os.strerror(number))
    )
)


def said(text: str, ours: str = "") -> str:
    """The text as it may be shown; `ours` are words of ours that hold no secret: the command.

    Lines stay lines. What was shown once is shown the same again.
    """
    if not text or text.isspace():
        return text
    return _said(text, ours)


def why(errors: str, out: str = "", ours: str = "") -> str:
    """The first words of what a failed command said, in one line: else of its output."""
    text = errors if errors.strip() else out
    return " ".join(said(text, ours).split())[:_MOST_WHY] or "nothing"


@lru_cache(maxsize=256)
def _said(text: str, ours: str) -> str:
    known = _words_of(ours)
    ends = "\n" if text.endswith("\n") else ""
    lines = text.splitlines()
    announced = map(_announces, ("", *lines))
    return "\n".join(map(partial(_line, ours=known), lines, announced)) + ends


@lru_cache(maxsize=64)
def _words_of(ours: str) -> frozenset[str]:
    return frozenset(re.findall(r"[^\W_]+", ours.lower()))


def _line(line: str, announced: bool, ours: frozenset[str]) -> str:
    shown = _hidden(line, announced, ours)
    if HIDDEN not in shown or _WORD.search(shown):
        return shown
    # Nothing but what was hidden: as little as whether two lines are the same.
    digest = blake2b(line.encode("utf-8", "replace"), digest_size=4, key=KEY).hexdigest()
    return f"#{digest}"


def _announces(line: str) -> bool:
    """Whether a secret may stand in a line, or in the one below it; a form has none."""
    parts = _PART.finditer(line)
    return any(_ANNOUNCES.search(match[0]) for match in parts if match.lastgroup != "form")


def _hidden(line: str, announced: bool, ours: frozenset[str]) -> str:
    announces = _announces(line)

    def shown(found: re.Match[str]) -> str:
        nonlocal announced
        kind, text = found.lastgroup, found[0]
        if kind in ("digest", "form", "path"):
            return text
        if kind != "word":
            return HIDDEN if announced else text
        if announces and text.isdigit() and len(text) >= _LONG_NUMBER:
            return HIDDEN
        is_ours = text.lower() in ours and not (announced and text.isdigit())
        announced = announced or bool(_ANNOUNCES.search(text))
        return text if is_ours or _may_be_shown(text, announced) else HIDDEN

    return _RUN.sub(HIDDEN, _PART.sub(shown, line))


def _may_be_shown(word: str, announced: bool) -> bool:
    if word.lower() in _KNOWN:
        return True
    parts = _SHORT.fullmatch(word)
    if not parts or (announced and any(map(str.isdigit, word))):
        return False
    word_part, digits, unit = parts[1].lower(), parts[2], parts[3].lower()
    # `swp5`, `mlx5`, `12s`, `p1`, one letter of an option.
    is_short = len(word_part) <= 1 and len(digits) <= (3 if word_part else 5)
    return unit in _UNITS and (is_short or word_part in _KNOWN)
