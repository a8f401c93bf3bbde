"""Secrets taken out on the switch: shell for a switch that prints what it runs, as evidence.

What is kept on disk must never have held a secret, so it goes before the answer leaves the switch.
Where a command fails, or its output has not the end that it must have, nothing of it is printed.
"""

from __future__ import annotations

from collections.abc import Iterable

REMOVED = "<removed>"
"""What stands for a secret, as EOS's own `show running-config sanitized` writes it."""

_VALUE = '("[^"]*"|[^ ]+)'
_NAMES = (
    "key|keys|key-string|key-octet-string|key-hex-string|cak|psk|pin|passwords?|passwd|"
    "pass-?phrase|secrets?|tokens?|credentials?|community-map"
)
_TYPES = "0|3|5|6|7|8|8a|9|sha512"
_PORTS = "port|timeout|auth-port|acct-port|retransmit"

CLI = (
    # A password may hold an `@`: the last one before the host counts.
    rf"s,://[^/ ]+@,://{REMOVED}@,g",
    f"/-----BEGIN/,/-----END/s/[^ ].*/{REMOVED}/",
    # Commands of the switch's owner may hold anything.
    "/^ +action bash *$/,/^ *EOF *$/{",
    rf"/^ +action bash *$/!s/^( *)[^ ].*/\1{REMOVED}/",
    "}",
    # `t` asks about all substitutions since the last one, so what is above must not count.
    "tx",
    ":x",
    "/^ *(neighbor [^ ]+ )?(description|name) /b",
    "/^key chain [^ ]+( macsec)?$/b",
    "/^aaa (authentication|authorization|accounting|group) /b",
    rf"s/^(snmp-server community) {_VALUE}/\1 {REMOVED}/;t",
    rf"s/^(snmp-server host [^ ]+( vrf [^ ]+| traps| informs| version (1|2c))*) .*/\1 {REMOVED}/;t",
    rf"/^snmp-server user /s/( auth [^ ]+) {_VALUE}/\1 {REMOVED}/",
    rf"/^snmp-server user /s/( priv ((aes|des|3des)[0-9-]* )?){_VALUE}/\1{REMOVED}/;t",
    # Servers of logins keep what follows the key: a port is a fact.
    (
        rf"s/^(tacacs-server host [^ ]+ key ([067] )?){_VALUE}"
        rf"(( ({_PORTS}) [0-9]+| single-connection)*)$/\1{REMOVED}\4/;t"
    ),
    rf"s/((^|[ -])({_NAMES})( ({_TYPES}))?) .*/\1 {REMOVED}/;t",
    rf"s/((^|[ -])(authentication|encryption)) .*/\1 {REMOVED}/",
    rf"s/^( +(exec [^ ]+|action (bash|python|script|[0-9.]+))) .*/\1 {REMOVED}/",
    # Other commands that run a program or set what it finds around it (EOS).
    rf"s/^( +[0-9]+ bash) .*/\1 {REMOVED}/",
    rf"s/^((alias|schedule) [^ ]+) .*bash.*/\1 {REMOVED}/",
    rf"s/^(agent [^ ]+ environment) .*/\1 {REMOVED}/",
    rf"s/((password|passwd|passphrase|secret|token|key|auth)=){_VALUE}/\1{REMOVED}/gI",
)
"""sed(1) for the words that the command lines of EOS, NX-OS and FRR share.

After a word that names a secret the rest of a line goes, but for lines that a readback reads.
Sources: forms in the configurations of aristanetworks/avd (`eos_cli_config_gen/intended/configs`)
and batfish (`grammar/cisco_nxos/testconfigs`); FRR User Guide, by daemon.
"""


def sed(expressions: Iterable[str]) -> str:
    """One command that does these in their order, to bytes: in UTF-8, `.` stops at a wrong one."""
    return "LC_ALL=C sed -E " + " ".join(f"-e '{one}'" for one in expressions)


def whole(first: str, last: str = ".*") -> str:
    """A filter that holds when a line matches `first`, and the last line `last` (awk patterns)."""
    return f"awk '/{first}/{{f=1}} {{l=$0}} END{{exit !(f && l ~ /^({last})\\r?$/)}}'"


def part(name: str, head: str, command: str, is_whole: str, mask: str) -> str:
    """Shell that prints `HEAD BYTES` and, in base64, the command's output through a mask.

    `is_whole` is a filter that fails where something is missing. Where it, the command or the mask
    fails, there is the line `NAME failed STATUS` and nothing of the output: no reader of framed
    answers takes that for a part.
    """
    return (
        f"r=$({command} 2>/dev/null); s=$?; "
        f'[ "$s" -ne 0 ] || printf "%s\\n" "$r" | {is_whole} >/dev/null || s=1; '
        f'[ "$s" -ne 0 ] || r=$(printf "%s\\n" "$r" | {mask}) || s=1; '
        f'if [ "$s" -eq 0 ]; then echo "{head} $(printf "%s\\n" "$r" | wc -c)"; '
        f'printf "%s\\n" "$r" | base64; else echo "{name} failed $s"; fi; '
    )
