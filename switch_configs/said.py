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
from functools import lru_cache
from hashlib import blake2b

from .unread import KEY, SHARED

HIDDEN = "*"
_PART = re.compile(
    r"(?P<digest>#[0-9a-f]{8}\b)"
    # Of ssh(1), and of Open MPI 4.1 (help-errmgr-base.txt, help-orterun.txt).
    r"|(?P<form>\bPermission denied \((?:[a-z]{1,10}(?:-[a-z]{1,11}){0,3}[,)])+"
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
    r"(?i)pass|psk|secret|token|bearer|\bkey\b|cak|communit|credential|\bpin|otp\b"
)
_WORD = re.compile(r"[^\W_]")
_RUN = re.compile(r"\*(?:[^\w\n]*\*)+")
_MOST_WHY = 160

_WORDS = """
a able abort aborted about accept access active actually addr address addresses after again agree aka
all allocate allowed already also an and another any are arg argument arguments as asked at attempt
attribute available back bad base be because been before begin below binary bit broke broken buffer
build bus but by bytes call called can cannot cannt card change changed channel channels check child
class cleanly client close closed code command commands communicate complain complete completed completion
condition config configuration configurations configure configured confirm conflict connect connected
connection connections could couldn count cq create created daemon daemons data deadlock debug default
defined delete denied depends deprecated device devices did differs directive directory disabled disk
display do does doesn done down drive driver due dump during each early either empty enabled end ended
ends enough entity entry environment eof err error errors etc event exceeded exchange exec executable
execute executed execution exist exists exit exited exiting expected expired extra fail failed failure
fallback falling fatal fd fetch few field file filename files filesystem find first flag flow for fork
format found free from full function get give given go gone got grater greater group had handle handshake
hang hangup has have header help here hint hold host hostkey hostkeys hosts id identify identity if
ignored illegal image implemented in inactive include incomplete incorrect indirect info init
initialize input instance integer interface internal interrupted into invalid is isn it its job just
keepalive keys keyword kernel kill killed known large last late latency least left length less level
libraries library like limit line lines link list listen listening load loaded local lock locked log
login long lost low machine main make making many map match maximum may memory message method methods
middle min missing mode module modules more most mount mounted mpirun must name named names near need
needed network never new newer next nic no node nodes none not nothing notice now null number numbers
object of off offline old on one only open opened operation option options or order other others out
output own owner package packages page parameter parameters parent parse parsing part partition parser
path peer pending per permission permitted ping pipe please point policy poll port ports position
possible prepare present prevented previous privilege problem process processes profile program prohibit
protocol provide qp queue queues quiet quit quota range rank read readable reading reason received
refused register registered rejected reload remote remove renamed repeated reply report request
requested require required reset resolution resolve resource response restart result retry return
returned returning returns root route router run runner running said same say says scnt script search
section see seems segmentation send sending sent separation server service session set setting settings
setup shared shell should shown signal silent since size slow so socket some something space spec
specified start started starting state status stop stopped storage stream string such superuser support
supported switch symbol syntax sure system table take taken target temporarily temporary terminal
terminated terminating terminal test than that the their them then there these they this through time
timed timeout to too tool transfer transport tried truncated try trying type typed unable unavailable
unexpected unit unknown unlink unmanaged unreachable unreadable unrecognized unsupported until up update
usage use used user using usual value values variable vendor verification verify version via virtual
vtysh wait waited waiting want wanted was warn warning were what when where which while who whole why
will with without work worked workers world would write writing written wrong yet you zebra zero
bfdd bgpd bgp cat chronyc chrony cuda curl dcb dcgmi dd dpkg ethtool eth fabricmanager fastcli fio frr gdscheck
gdsio gpg gpu gpus grep head hgx ib ifquery invalidated iperf iproute ipv jq json kex leaf link
lldpcli lldpctl ls mkdir mktemp mlnx mlx mlxconfig mlxlink mlxreg mpi mstflint mstlink nccl netlink
netplan networkctl nft nmcli npu nsenter nv nvidia nvlink nvme nvml nvue ompi openmpi oob orted ospf
perf perftest pfc printf prterun prted ps pyinfra python qos railbed rail rdma redis rm roce rocev sed sh smi
smartctl sonic spine ssh sshd staticd stat stderr stdout stdin su sudo sum sysctl sysfs systemctl systemd
tc tee test timeout ucx udp tcp umount unshare unix vsh vty watchfrr xargs xid yaml zypper apt dnf rpm
authorizedkeyscommand authorizedkeyscommanduser authorizedprincipalscommand authenticationmethods
passwordauthentication maxsessions maxstartups publickey satisfied cipher mac ciphers
bash dash busybox bin sbin usr etc var proc sys tmp conf cnf service socket mountpoint nic nics
""".split()
_KNOWN = (
    SHARED
    | frozenset(_WORDS)
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
    """The first words of what a failed command said, in one line: of its output where it is alone."""
    text = errors if errors.strip() else out
    return " ".join(said(text, ours).split())[:_MOST_WHY] or "nothing"


@lru_cache(maxsize=256)
def _said(text: str, ours: str) -> str:
    known = _words_of(ours)
    ends = "\n" if text.endswith("\n") else ""
    return "\n".join(_line(one, known) for one in text.splitlines()) + ends


@lru_cache(maxsize=64)
def _words_of(ours: str) -> frozenset[str]:
    return frozenset(word.lower() for word in re.findall(r"[^\W_]+", ours))


def _line(line: str, ours: frozenset[str]) -> str:
    shown = _hidden(line, ours)
    if HIDDEN not in shown or _WORD.search(shown):
        return shown
    # Nothing but what was hidden: as little as whether two lines are the same.
    digest = blake2b(line.encode("utf-8", "replace"), digest_size=4, key=KEY).hexdigest()
    return f"#{digest}"


def _hidden(line: str, ours: frozenset[str]) -> str:
    announced = False

    def shown(found: re.Match[str]) -> str:
        nonlocal announced
        kind, text = found.lastgroup, found[0]
        if kind in ("digest", "form", "path"):
            return text
        if kind != "word":
            return HIDDEN if announced else text
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
    # `swp5`, `mlx5`, `12s`, one letter of an option.
    return len(parts[1]) <= 2 or parts[1].lower() in _KNOWN
