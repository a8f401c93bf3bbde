"""What every switch asks of servers: from the site's file to the plan."""

from __future__ import annotations

from inventory.plan import SnmpUser, SwitchAccount, SwitchLogin, SwitchServices, Tacacs
from inventory.schema import SiteFile
from inventory.topology import addressing


def switch_services(intent: SiteFile) -> SwitchServices:
    """The same for every switch of the site.

    Time is the OOB server's, in the switches' own zone, where the site says nothing of it.
    """
    said = intent.switch_services
    own = addressing.oob_server_address(intent.oob.zones.netmgmt).ip
    tacacs, snmp = said.tacacs, said.snmp
    return SwitchServices(
        ntp=tuple(map(str, [own] if said.ntp is None else said.ntp)),
        syslog=tuple(map(str, said.syslog)),
        tacacs=Tacacs(tuple(map(str, tacacs.servers)), tacacs.key) if tacacs else None,
        snmp=SnmpUser(snmp.user, snmp.auth, snmp.priv) if snmp else None,
        gnmi_port=said.gnmi_port,
        accounts=tuple(
            SwitchAccount(
                account.name,
                account.role,
                account.required,
                account.ssh_keys,
                tuple(account.devices),
            )
            for account in said.accounts
        ),
        logins=tuple(SwitchLogin(one.user, tuple(one.devices)) for one in said.logins),
    )
