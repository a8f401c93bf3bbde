"""Rows of CONFIG_DB that no plan of ours has, by form: `TABLE key field value`, a line each.

A row is known when all of its fields are; of a list each element is a line. Source: SONiC's YANG
models (sonic-yang-models) and its Configuration manual, the table of each name; tables that they
lack (`HARDWARE`, `ECMP_LOADSHARE_TABLE_IPV4`) are of Enterprise SONiC's dumps.
"""

from __future__ import annotations

from switch_configs.readback.beside import Forms

_CHECKED = (
    *("acl_counter", "acl_entry", "acl_group", "acl_table", "bfd_session", "dnat_entry"),
    *("fdb_entry", "ipmc_entry", "ipv4_neighbor", "ipv4_nexthop", "ipv4_route", "ipv6_neighbor"),
    *("ipv6_nexthop", "ipv6_route", "mpls_inseg", "mpls_nexthop", "nexthop_group"),
    *("nexthop_group_member", "snat_entry", "srv6_my_sid_entry", "srv6_nexthop"),
)
_LEVELS = "|".join(f"{one}_{end}_threshold" for one in _CHECKED for end in ("high", "low"))
_KINDS = "|".join(f"{one}_threshold_type" for one in _CHECKED)
_POLLED = (
    "ACL|FABRIC_PORT|FLOW_CNT_ROUTE|FLOW_CNT_TRAP|PG_DROP|PG_WATERMARK|PORT|PORT_BUFFER_DROP|QUEUE"
    "|QUEUE_WATERMARK|RIF|SRV6|SWITCH|TUNNEL|BUFFER_POOL_WATERMARK|ENI"
)
_BOND = "PORTCHANNEL PortChannel<number>"
_HASH = "src_ip|dst_ip|protocol|next_hdr|l4_src_port|l4_dst_port"
_HASHED = "|".join(f"{ip}_{one}" for ip in ("ipv4", "ipv6") for one in _HASH.split("|"))
_TYPES = "LeafRouter|ToRRouter|SpineRouter|Server|MiniPower|MgmtToRRouter|<name>"

FORMS = Forms(
    {
        "EVPN": """
            VXLAN_TUNNEL <name> src_ip|dst_ip <ip>
            VXLAN_TUNNEL_MAP <name> <name> vlan Vlan<number>|<number>
            VXLAN_TUNNEL_MAP <name> <name> vni <number>
            VXLAN_EVPN_NVO|EVPN_NVO <name> source_vtep <name>
            SUPPRESS_VLAN_NEIGH Vlan<number> suppress on|off
            VRF <name> vni <number>
            VNET <name> vxlan_tunnel <name>
            VNET <name> vni <number>
            VNET <name> guid|scope|src_mac <name>|<mac>
            NEIGH_SUPPRESS_CFG_TABLE Vlan<number> suppress on|off
            EVPN_MH_GLOBAL default startup_delay|mac_holdtime|neigh_holdtime <number>
            EVPN_ETHERNET_SEGMENT <name> esi AUTO|<mac>|<secret>
            EVPN_ETHERNET_SEGMENT <name> type TYPE_0_OPERATOR_CONFIGURED|TYPE_3_MAC_BASED
            EVPN_ETHERNET_SEGMENT <name> df_pref <number>
            SAG GLOBAL gateway_mac <mac>
            SAG_GLOBAL IP|IPv4|IPv6 gwmac <mac>
            SAG <name> IPv4|IPv6 gwip <ip>
            VLAN_INTERFACE Vlan<number> static_anycast_gateway true|false
        """,
        "MLAG": """
            MCLAG_DOMAIN <number> source_ip|peer_ip <ip>
            MCLAG_DOMAIN <number> mclag_system_id|mclag_system_mac <mac>
            MCLAG_DOMAIN <number> keepalive_interval|session_timeout|delay_restore <number>
            MCLAG_UNIQUE_IP Vlan<number> unique_ip enable|disable
            MCLAG_GW_MAC <mac> gateway_mac <mac>|enable
            MCLAG_GW_MAC <mac> gw_mac_en enable|disable
        """,
        "multicast": """
            CFG_L2MC_TABLE <name> enabled|querier|fast-leave <on>
            CFG_L2MC_TABLE <name> version|query-interval|last-member-query-interval <number>
        """,
        "spanning tree": """
            STP GLOBAL mode pvst|mst
            STP GLOBAL forward_delay|hello_time|max_age|rootguard_timeout <number>
            STP GLOBAL bpdu_filter|bpdu_guard <on>
            STP GLOBAL priority <number>
            STP_VLAN Vlan<number> enabled <on>
            STP_VLAN Vlan<number> forward_delay|hello_time|max_age|vlanid <number>
            STP_VLAN Vlan<number> priority <number>
            STP_PORT <name> enabled|root_guard|bpdu_guard|bpdu_guard_do_disable|portfast <on>
            STP_PORT <name> uplink_fast|bpdu_filter|edge_port <on>|<name>
        """,
        "routing": f"""
            BGP_NEIGHBOR [<name>] <ip>|<name> asn|holdtime|keepalive|rrclient|nhopself <number>
            BGP_NEIGHBOR [<name>] <ip>|<name> local_addr <ip>
            BGP_NEIGHBOR [<name>] <ip>|<name> name|peer_group_name|peer_type <name>
            BGP_NEIGHBOR [<name>] <ip>|<name> local_asn|peer_asn|conn_retry <number>
            BGP_NEIGHBOR [<name>] <ip>|<name> admin_status up|down|true|false
            BGP_NEIGHBOR [<name>] <ip>|<name>
            BGP_NEIGHBOR_AF <name> <ip>|<name> <name> admin_status|route_map_in <on>|<name>
            BGP_NEIGHBOR_AF <name> <ip>|<name> <name> send_default_route <on>
            BGP_NEIGHBOR_AF <name> <ip>|<name> <name> soft_reconfiguration_in <on>
            BGP_PEER_RANGE <name> src_address <ip>
            BGP_PEER_RANGE <name> name <name>
            BGP_PEER_RANGE <name> ip_range <ip>
            BGP_PEER_RANGE <name> peer_asn <number>
            BGP_INTERNAL_NEIGHBOR|BGP_VOQ_CHASSIS_NEIGHBOR <ip> asn|holdtime|keepalive <number>
            BGP_INTERNAL_NEIGHBOR|BGP_VOQ_CHASSIS_NEIGHBOR <ip> admin_status <on>
            BGP_INTERNAL_NEIGHBOR|BGP_VOQ_CHASSIS_NEIGHBOR <ip> rrclient|nhopself <number>
            BGP_INTERNAL_NEIGHBOR|BGP_VOQ_CHASSIS_NEIGHBOR <ip> local_addr <ip>
            BGP_INTERNAL_NEIGHBOR|BGP_VOQ_CHASSIS_NEIGHBOR <ip> name <name>
            BGP_MONITORS <ip> asn|holdtime|keepalive|rrclient|nhopself <number>
            BGP_MONITORS <ip> local_addr <ip>
            BGP_MONITORS <ip> name <name>
            BGP_MONITORS <ip> admin_status <on>
            BGP_DEVICE_GLOBAL STATE tsa_enabled|wcmp_enabled|idf_isolation_state <on>|<name>
            BGP_BBR all status enabled|disabled
            BGP_GLOBALS <name> local_asn|holdtime|keepalive|max_ebgp_paths|max_ibgp_paths <number>
            BGP_GLOBALS <name> router_id <ip>
            BGP_GLOBALS <name> default_ipv4_unicast|load_balance_mp_relax|log_nbr_state_changes <on>
            BGP_GLOBALS <name> ebgp_requires_policy|network_import_check <on>
            BGP_GLOBALS <name> graceful_restart_enable <on>
            BGP_GLOBALS_AF <name> <name> max_ebgp_paths|max_ibgp_paths <number>
            BGP_GLOBALS_AF <name> <name> advertise-all-vni|advertise-default-gw <on>
            BGP_GLOBALS_AF_NETWORK <name> <name> <ip>
            BGP_GLOBALS_AF_NETWORK <name> <name> <ip> policy <name>
            BGP_PEER_GROUP <name> <name> asn|holdtime|keepalive <number>
            BGP_PEER_GROUP <name> <name> peer_type external|internal
            BGP_PEER_GROUP <name> <name> admin_status|bfd|capability_ext_nexthop <on>
            BGP_PEER_GROUP_AF <name> <name> <name> admin_status|route_reflector_client <on>
            ROUTE_REDISTRIBUTE <name> <name> <name> <name>
            ROUTE_REDISTRIBUTE <name> <name> <name> <name> route_map <name>
            STATIC_ROUTE [<name>] <ip> nexthop <ip>
            STATIC_ROUTE [<name>] <ip> ifname <name>
            STATIC_ROUTE [<name>] <ip> distance|blackhole|nexthop-vrf|advertise|bfd <name>
            VRF <name>
            VRF <name> enabled|fallback true|false
            VRRP_INTERFACE <name>
            VRRP_INTERFACE <name> <ip>
            VRRP_INTERFACE <name> parent_interface <name>
            VRRP <name> <number> vip <ip>
            VRRP <name> <number> adv_interval|version|vrid <number>
            VRRP <name> <number> priority <number>
            VRRP <name> <number> preempt|use_v2_checksum <on>
            NEIGH <name> <ip> neigh <mac>
            NEIGH <name> <ip> family IPv4|IPv6
            VLAN_INTERFACE Vlan<number> <ip>
            INTERFACE|VLAN_INTERFACE <name> proxy_arp|grat_arp enable|enabled|disabled
            INTERFACE|VLAN_INTERFACE <name> mpls enable|disable
            INTERFACE|VLAN_INTERFACE <name> ipv6_use_link_local_only enable|disable
            INTERFACE|VLAN_INTERFACE <name> nat_zone <number>
            PORTCHANNEL_INTERFACE <name>
            PORTCHANNEL_INTERFACE <name> <ip>
            PORTCHANNEL_INTERFACE <name> vrf_name <name>
            PORTCHANNEL_INTERFACE <name> ipv6_use_link_local_only enable|disable
            PORTCHANNEL_INTERFACE <name> nat_zone <number>
            VLAN_SUB_INTERFACE <name>
            VLAN_SUB_INTERFACE <name> <ip>
            VLAN_SUB_INTERFACE <name> admin_status up|down
            VLAN_SUB_INTERFACE <name> vlan <number>
            VLAN_SUB_INTERFACE <name> vrf_name <name>
            LOOPBACK Loopback<number>
            LOOPBACK_INTERFACE Loopback<number>
            LOOPBACK_INTERFACE Loopback<number> <ip>
            LOOPBACK_INTERFACE Loopback<number> vrf_name <name>
            LOOPBACK_INTERFACE Loopback<number> admin_status up|down
            ECMP_LOADSHARE_TABLE_IPV4|ECMP_LOADSHARE_TABLE_IPV6 ipv4|ipv6 {_HASHED} true|false
            NAT_GLOBAL Values admin_mode enabled|disabled
            NAT_GLOBAL Values nat_timeout|nat_tcp_timeout|nat_udp_timeout <number>
            NAT_BINDINGS <name> nat_pool|access_list|nat_type|twice_nat_id <name>
        """,
        "neighbours": f"""
            DEVICE_NEIGHBOR <name> name|port <text>
            DEVICE_NEIGHBOR_METADATA <name> hwsku|cluster|deployment_id <name>
            DEVICE_NEIGHBOR_METADATA <name> type {_TYPES}
            DEVICE_NEIGHBOR_METADATA <name> lo_addr|lo_addr_v6|mgmt_addr|mgmt_addr_v6 <ip>|None
            LLDP GLOBAL hello_time|hello_timer|multiplier <number>
            LLDP GLOBAL|Global enabled <on>
            LLDP GLOBAL|Global mode TRANSMIT|RECEIVE
            LLDP GLOBAL|Global system_name|system_description <text>
            LLDP GLOBAL|Global supp_mgmt_address_tlv|supp_system_capabilities_tlv <on>
            LLDP_PORT <name> enabled <on>
            LLDP_PORT <name> mode TRANSMIT|RECEIVE
            PEER_SWITCH <name> address_ipv4 <ip>
        """,
        "interfaces": f"""
            PORT <name> override_unreliable_los on|off
            PORT <name> valid_speeds <text>
            PORT <name> adv_speeds|adv_interface_types|interface_type <name>
            PORT <name> tpid <name>
            PORT <name> role|macsec|mode|parent_port|asic_port_name <name>
            PORT <name> dhcp_rate_limit|coreid|coreportid|numvoq|core_id|core_port_id <number>
            PORT <name> num_voq|laser_freq|tx_power|media_sub_type <number>
            {_BOND} fallback|fast_rate|graceful_shutdown|static <on>
            {_BOND} mode routed|access|trunk
            {_BOND} tpid|description|system_mac <text>
            {_BOND} learn_mode <name>
            VLAN Vlan<number> mac <mac>
            VLAN Vlan<number> autostate|mac_learning <on>
            SWITCH switch fdb_aging_time <number>
            SWITCH switch hash_offset|lag_hash_offset|ecmp_hash_offset <number>
            FDB Vlan<number> <mac> port <name>
            FDB Vlan<number> <mac> type static|dynamic
            HARDWARE ACCESS_LIST COUNTER_MODE|LOOKUP_MODE <name>
        """,
        "access lists": """
            ACL_TABLE <name> stage ingress|egress|INGRESS|EGRESS
            ACL_TABLE <name> services SSH|SNMP|NTP|EXTERNAL_CLIENT|ANY
            ACL_TABLE <name> policy_desc <text>
            ACL_TABLE <name> type L3|L3V6|L3V4V6|MIRROR|MIRRORV6|CTRLPLANE
            ACL_TABLE <name> ports <name>
            ACL_RULE <name> <name> PRIORITY <number>
            ACL_RULE <name> <name> PACKET_ACTION ACCEPT|DROP|FORWARD
            ACL_RULE <name> <name> ETHER_TYPE|VLAN_ID|IP_PROTOCOL|NEXT_HEADER <number>|<name>
            ACL_RULE <name> <name> SRC_IP|DST_IP|SRC_IPV6|DST_IPV6 <ip>
            ACL_RULE <name> <name> L4_SRC_PORT|L4_DST_PORT <number>
            ACL_RULE <name> <name> L4_SRC_PORT_RANGE|L4_DST_PORT_RANGE <name>
            ACL_RULE <name> <name> IP_TYPE|TCP_FLAGS|STAGE <name>
            MIRROR_SESSION <name> src_ip|dst_ip <ip>
            MIRROR_SESSION <name> type ERSPAN|SPAN
            MIRROR_SESSION <name> ttl|gre_type|sample_rate <number>|<name>
            MIRROR_SESSION <name> src_port|dst_port|direction <name>
        """,
        "users": """
            USER <name> password <secret>
            USER <name> role <name>
            AAA authentication|authorization|accounting login <name>
            AAA authentication failthrough|fallback|debug|trace <on>
            TACPLUS global passkey <secret>
            TACPLUS global auth_type|timeout|src_intf <name>
            TACPLUS_SERVER <ip>|<name> tcp_port|timeout <number>
            TACPLUS_SERVER <ip>|<name> auth_type <name>
            TACPLUS_SERVER <ip>|<name> passkey <secret>
            TACPLUS_SERVER <ip>|<name> priority <number>
            RADIUS global passkey <secret>
            RADIUS global auth_type|timeout|retransmit|src_ip|nas_ip <name>|<ip>
            RADIUS_SERVER <ip>|<name> auth_type|auth_port|timeout|retransmit|vrf|src_intf <name>
            RADIUS_SERVER <ip>|<name> passkey <secret>
            RADIUS_SERVER <ip>|<name> priority <number>
            PASSW_HARDENING POLICIES <name> <name>
            SSH_SERVER POLICIES authentication_retries|login_timeout|ports <number>
            SSH_SERVER POLICIES inactivity_timeout|max_sessions <number>
            SSH_SERVER POLICIES permit_root_login|password_authentication <name>
            SERIAL_CONSOLE POLICIES inactivity_timeout <number>
            SERIAL_CONSOLE POLICIES sysrq_capabilities <on>
            RESTAPI config allow_insecure|log_level <name>
            RESTAPI config client_crt_cname <secret>
            RESTAPI certs ca_crt|server_crt|server_key|client_crt_cname <secret>
            CONSOLE_SWITCH console_mgmt enabled yes|no
            CONSOLE_PORT <number> baud_rate|remote_device <name>
        """,
        "SNMP": """
            SNMP_COMMUNITY <secret> TYPE RO|RW
            SNMP LOCATION Location <text>
            SNMP CONTACT <text>
            SNMP_AGENT_ADDRESS_CONFIG <ip> <number> [<name>]
            SNMP_AGENT_ADDRESS_CONFIG <ip> <number>
        """,
        "time and logs": """
            NTP global src_intf|vrf <name>
            NTP global authentication|dhcp|server_role|admin_state <on>
            NTP_SERVER <ip>|<name> association_type server|pool
            NTP_SERVER <ip>|<name> resolve_as <ip>|<name>
            NTP_SERVER <ip>|<name> version|minpoll|maxpoll|key <number>
            NTP_SERVER <ip>|<name> iburst|trusted|admin_state <on>
            NTP_KEY <number> value <secret>
            NTP_KEY <number> type md5|sha1|sha256|sha384|sha512
            NTP_KEY <number> trusted <on>
            SYSLOG_SERVER <ip>|<name> source|filter|filter_regex|protocol|severity <name>|<ip>
            SYSLOG_SERVER <ip>|<name> port <number>
            SYSLOG_CONFIG GLOBAL rate_limit_interval|rate_limit_burst <number>
            SYSLOG_CONFIG GLOBAL format|severity|welf_firewall_name <name>
            SYSLOG_CONFIG_FEATURE <name> rate_limit_interval|rate_limit_burst <number>
            LOGGER <name> LOGLEVEL|LOGOUTPUT <name>
            LOGGER <name> require_manual_refresh <on>
        """,
        "telemetry": f"""
            TELEMETRY|GNMI gnmi port|log_level <number>
            TELEMETRY|GNMI gnmi client_auth|save_on_set|enable_crl <on>
            TELEMETRY|GNMI gnmi vrf|user_auth <name>
            TELEMETRY|GNMI certs ca_crt|server_crt|server_key <secret>
            TELEMETRY_CLIENT <name> <text>
            SFLOW global admin_state <on>
            SFLOW global polling_interval|drop_monitor_limit <number>
            SFLOW global agent_id|sample_direction <name>
            SFLOW_COLLECTOR <name> collector_ip <ip>
            SFLOW_COLLECTOR <name> collector_port <number>
            SFLOW_COLLECTOR <name> collector_vrf <name>
            SFLOW_SESSION <name> admin_state <on>
            SFLOW_SESSION <name> sample_rate <number>|<name>
            FLEX_COUNTER_TABLE {_POLLED} FLEX_COUNTER_STATUS enable|disable
            FLEX_COUNTER_TABLE {_POLLED} FLEX_COUNTER_DELAY_STATUS true|false
            FLEX_COUNTER_TABLE {_POLLED} POLL_INTERVAL|BULK_CHUNK_SIZE <number>
        """,
        "DHCP and DNS": """
            DHCP_SERVER <ip>
            VLAN Vlan<number> dhcp_servers|dhcpv6_servers <ip>
            DHCP_RELAY Vlan<number> dhcpv6_servers|dhcp_servers <ip>
            DHCP_RELAY Vlan<number> dhcpv6_option|rfc6939_support <name>
            DHCPV4_RELAY Vlan<number> dhcpv4_servers <ip>
            DHCPV4_RELAY Vlan<number> source_interface|link_selection|server_vrf <name>
            DNS_NAMESERVER <ip>
            DNS_OPTIONS global search_list|ndots|timeout|attempts <name>
        """,
        "management": """
            MGMT_PORT <name> autoneg <on>
            MGMT_PORT <name> speed <number>
            MGMT_PORT <name> description <text>
            MGMT_INTERFACE <name>
            MGMT_INTERFACE <name> <ip> gwaddr|forced_mgmt_routes <ip>
            MGMT_INTERFACE <name> <ip>
            MGMT_VRF_CONFIG vrf_global mgmtVrfEnabled|in_band_mgmt_enabled true|false
        """,
        "system": f"""
            DEVICE_METADATA localhost default_bgp_status up|down
            DEVICE_METADATA localhost default_config_profile|cloudtype|region|subtype <name>
            DEVICE_METADATA localhost deployment_id|chassis_hostname|cluster|slice_type <name>
            DEVICE_METADATA localhost yang_config_validation|nexthop_group|suppress-fib-pending <on>
            DEVICE_METADATA localhost asic_name|switch_type|sub_role|resource_type <name>
            DEVICE_METADATA localhost asic_id|switch_id|max_cores|bgp_adv_lo_prefix_as_128 <name>
            DEVICE_METADATA localhost bgp_router_id <ip>
            DEVICE_METADATA localhost peer_switch|storage_device|installer_type <name>
            DEVICE_METADATA localhost downstream_subrole|frr_mgmt_framework_config <on>
            VERSIONS DATABASE VERSION <name>
            FEATURE <name> state|status enabled|disabled|always_enabled|always_disabled
            FEATURE <name> auto_restart enabled|disabled|always_enabled|always_disabled
            FEATURE <name> high_mem_alert|set_owner|container_timer <name>
            FEATURE <name> has_global_scope|has_per_asic_scope|delayed|has_timer <name>
            FEATURE <name> has_per_dpu_scope|support_syslog_rate_limit|check_up_status <name>
            FEATURE <name> no_fallback_to_local|fallback|kube_request <name>
            AUTO_TECHSUPPORT GLOBAL state|since <text>
            AUTO_TECHSUPPORT GLOBAL rate_limit_interval|max_techsupport_limit <number>
            AUTO_TECHSUPPORT GLOBAL max_core_limit|available_mem_threshold|min_available_mem <name>
            AUTO_TECHSUPPORT_FEATURE <name> state enabled|disabled
            AUTO_TECHSUPPORT_FEATURE <name> rate_limit_interval|available_mem_threshold <name>
            COREDUMP config enabled <on>
            KDUMP config enabled|remote <on>
            KDUMP config num_dumps|memory <text>
            ZTP config|mode admin-mode|profile <name>
            BANNER_MESSAGE global state enabled|disabled
            BANNER_MESSAGE global login|logout|motd <text>
            CRM Config polling_interval <number>
            CRM Config {_LEVELS} <number>
            CRM Config {_KINDS} percentage|used|free
            COPP_GROUP <name> trap_action <name>
            COPP_TRAP <name> trap_ids|trap_group|always_enabled <name>
            WARM_RESTART <name> enable|neighsyncd_timer|bgp_timer|teamsyncd_timer <name>
            DEBUG_COUNTER <name> type|alias|group|desc <text>
            HEARTBEAT <name> heartbeat_interval|alert_interval <number>
            MEMORY_STATISTICS memory_statistics enabled <on>
            FIPS global enable|enforce <on>
            SYSTEM_DEFAULTS <name> status enabled|disabled
            SYSTEM_DEFAULTS <name>
        """,
    }
)
