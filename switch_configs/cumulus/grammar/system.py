"""NVUE paths of the box itself: name, time, logs, users, SNMP, gNMI, LLDP, hashing."""

from __future__ import annotations

from .tree import Group

SYSTEM = "content/nvue-reference/Set-and-Unset-Commands/System-Configuration.md"
CHANGES = "content/cumulus-linux-515/Whats-New/New-and-Changed-NVUE-Commands.md"
DATE_TIME = "content/cumulus-linux-516/System-Configuration/Date-and-Time/Setting-Date-and-Time.md"
FORWARDING = "content/nvue-reference/Set-and-Unset-Commands/System-Forwarding.md"
DNS = "content/nvue-reference/Set-and-Unset-Commands/DNS.md"
NTP = "content/nvue-reference/Set-and-Unset-Commands/NTP.md"
SYSLOG = "content/nvue-reference/Set-and-Unset-Commands/Syslog.md"
LLDP = "content/nvue-reference/Set-and-Unset-Commands/LLDP.md"
TACACS = "content/nvue-reference/Set-and-Unset-Commands/TACACS.md"
USER = "content/nvue-reference/Set-and-Unset-Commands/User-Account.md"
SNMP = "content/nvue-reference/Set-and-Unset-Commands/SNMP-Server.md"
GNMI = "content/nvue-reference/Set-and-Unset-Commands/gnmi.md"
CONFIG_EXAMPLE = (
    "content/cumulus-linux-514/Layer-3/Border-Gateway-Protocol-BGP/Configuration-Example.md"
)

SNMP_SERVER = ("service snmp-server @-5.10", "system snmp-server @5.11-")
AUTH = "(auth-md5|auth-sha) <secret>"
ENCRYPTED = f"{AUTH} (encrypt-aes|encrypt-des) <secret>"

GROUPS = (
    Group(
        SYSTEM,
        """
        hostname <hostname>
        timezone <timezone>                                                       @-5.14
        message (pre-login|post-login) <banner>
        message post-logout <banner>                                              @5.15-
        global (system-mac|anycast-mac|fabric-mac) <mac>
        global anycast-id 1-65535
        global fabric-id 1-255
        config apply ignore <path> {}
        config apply overwrite (all|controlled)
        config auto-save enable (on|off)                                          @-5.9
        config auto-save state (enabled|disabled)                                 @5.10-
        cli pagination state (enabled|disabled)
        cli inactive-timeout 0-86400
        reboot mode (cold|fast|warm)                                              @-5.14
        control-plane policer <name> burst 10-10000
        control-plane policer <name> rate 10-50000
        """,
        under=("system",),
    ),
    Group(DATE_TIME, "system date-time timezone <timezone> @5.15-"),
    # What a saved startup.yaml of NVIDIA holds beside what was set.
    Group(
        CONFIG_EXAMPLE,
        """
        api state (enabled|disabled)
        ssh-server state (enabled|disabled)
        wjh {enable}
        wjh channel forwarding trigger (l2|l3|tunnel) {}
        control-plane acl (acl-default-dos|acl-default-whitelist) inbound {}
        """,
        under=("system",),
    ),
    Group(
        FORWARDING,
        """
        ecmp-hash (ip-protocol|source-ip|destination-ip|source-port|destination-port) {on}
        ecmp-hash (ipv6-label|ingress-interface|gtp-teid|inner-ip-protocol|inner-source-ip) {on}
        ecmp-hash (inner-destination-ip|inner-source-port|inner-destination-port|inner-ipv6-label) {on}
        lag-hash (ip-protocol|source-ip|destination-ip|source-port|destination-port|gtp-teid) {on}
        lag-hash (source-mac|destination-mac|ether-type|vlan) {on}
        hash-seed 0-4294967295
        host-route-preference (route|neighbor|route-and-neighbor)
        """,  # noqa: E501 - one line a path
        under=("system forwarding",),
    ),
    Group(
        DNS,
        """
        service dns <vrf> server <ip> {}                                          @-5.14
        service dns <vrf> search <domain> {}                                      @-5.14
        system dns server <ip> {}                                                 @5.15-
        system dns server <ip> vrf <vrf>                                          @5.15-
        system dns server <ip> priority 1-4294967295                              @5.15-
        system dns search <domain> {}                                             @5.15-
        system dns domain <domain>                                                @5.14-
        """,
    ),
    Group(
        NTP,
        """
        (server|pool) <host> {}
        (server|pool) <host> iburst (on|off)
        listen <port-name>
        """,
        under=("service ntp <vrf> @-5.14",),
    ),
    Group(
        CHANGES,
        """
        state (enabled|disabled)
        vrf <vrf>
        listen <port-name> {}
        server <host> {}
        server <host> iburst (enabled|disabled)
        server <host> state (enabled|disabled)
        server <host> version (3|4)
        server <host> association-type (server|pool)
        """,
        under=("system ntp @5.15-",),
    ),
    Group(
        SYSLOG,
        """
        service syslog <vrf> server <host> {}                                     @-5.12
        service syslog <vrf> server <host> port 1-32767                           @-5.12
        service syslog <vrf> server <host> protocol (tcp|udp)                     @-5.12
        system syslog server <host> {}                                            @5.13-
        system syslog server <host> port 1-32767                                  @5.13-
        system syslog server <host> protocol (tcp|udp)                            @5.13-
        system syslog server <host> vrf <vrf>                                     @5.13-
        system syslog server <host> selector <rule> selector-id <name>            @5.13-
        system syslog format standard {}                                          @5.13-
        system syslog selector <name> facility <name>                             @5.13-
        system syslog selector <name> severity (debug|info|notice|warn|error|critical) @5.13-
        system syslog selector <name> program-name <name>                         @5.13-
        """,
    ),
    Group(
        LLDP,
        """
        tx-interval 10-300
        tx-hold-multiplier 1-10
        mode (force-send-cdpv1|force-send-cdpv2|force-send-lldp)
        (dot1-tlv|lldp-med-inventory-tlv) {on}
        state (enabled|disabled)                                                  @5.11-
        application-tlv app <name> priority 0-7
        application-tlv (tcp-port|udp-port) <tcp-port> priority 0-7
        """,
        under=("service lldp @-5.14", "system lldp @5.15-"),
    ),
    Group(
        TACACS,
        """
        authentication-order <rule> (tacacs|local|radius) {}                      @-5.14
        authentication-order <rule> ldap {}                                       @5.11-5.14
        authentication order <logins>                                             @5.15-
        tacacs enable (on|off)                                                    @-5.11
        tacacs server 1-8 host <host>                                             @-5.11
        tacacs server 1-8 port 0-65535                                            @-5.11
        tacacs server 1-8 secret <secret>                                         @-5.11
        tacacs server <host> priority 1-8                                         @5.12-
        tacacs server <host> port 0-65535                                         @5.12-
        tacacs server <host> secret <secret>                                      @5.12-
        tacacs vrf <vrf>
        tacacs timeout 1-60
        tacacs source-ip <ipv4>
        tacacs debug-level 0-2
        tacacs accounting enable (on|off)                                         @-5.11
        tacacs accounting state (enabled|disabled)                                @5.12-
        tacacs accounting send-records (all|first-response)
        tacacs authentication mode (pap|chap|login)
        tacacs authentication per-user-homedir {on}
        tacacs exclude-user username <user>
        """,
        under=("system aaa",),
    ),
    Group(
        USER,
        """
        user <user> full-name <text>
        user <user> role <name>
        user <user> (hashed-password|password) <secret>
        user <user> enable (on|off)                                               @-5.10
        user <user> state (enabled|disabled)                                      @5.11-
        user <user> ssh authorized-key <name> key <text>
        user <user> ssh authorized-key <name> type <name>
        role <name> class <name> {}
        class <name> action (allow|deny)
        class <name> command-path <path> permission (ro|rw|act|all)
        """,
        under=("system aaa",),
    ),
    Group(
        SNMP,
        f"""
        enable (on|off)                                                           @-5.10
        state (enabled|disabled)                                                  @5.11-
        listening-address <host> {{}}
        listening-address <host> vrf <vrf>
        (system-contact|system-location|system-name) <text>
        mibs (cumulus-sensor-mib|cumulus-status-mib) {{}}
        viewname <name> (included|excluded) <oid>
        username <name> auth-none {{}}
        username <name> auth-none view <name>
        username <name> {AUTH} {{}}
        username <name> {AUTH} view <name>
        username <name> {AUTH} oid <oid>
        username <name> {ENCRYPTED} {{}}
        username <name> {ENCRYPTED} view <name>
        username <name> {ENCRYPTED} oid <oid>
        readonly-community <secret> access (any) {{}}
        readonly-community <secret> access <acl-ip> {{}}
        readonly-community <secret> access <acl-ip> view <name>
        trap-destination <host> vrf <vrf> username <name> {ENCRYPTED} engine-id <name> {{}}
        trap-destination <host> community-password <secret> version (1|2c)
        trap-destination <host> vrf <vrf> community-password <secret> version (1|2c)
        (trap-link-down|trap-link-up|trap-snmp-auth-failures) {{}}
        (trap-link-down|trap-link-up) check-frequency 5-300
        """,
        under=SNMP_SERVER,
    ),
    Group(
        GNMI,
        """
        state (enabled|disabled)
        port <tcp-port>
        listening-address <host> {}
        certificate <name>
        mtls ca-certificate <name>
        mtls crl <name>
        """,
        under=("system gnmi-server @5.13-",),
    ),
)
