"""Variables of roles that the plan computes, and where in the inventory their values come from.

With `schema/role_variables.py` this is every variable of every role: either a site sets it by its
name, or by what is named here.
"""

from __future__ import annotations

# Variable to the key of the node's profile.
IN_PROFILE = {
    "container_runtime_engine": "containers.engine",
    "container_runtime_gpus": "gpu_driver",
    "gds_mode": "gpu_storage.mode",
    "gds_peer_type": "gpu_driver.peer_memory",
    "gds_rdma_addresses": "storage",
    "kernel_tuning_acs": "tuning.acs",
    "kernel_tuning_arguments": "tuning.kernel_arguments",
    "kernel_tuning_boot": "tuning.boot",
    "kernel_tuning_energy_preference": "tuning.cpu.energy_preference",
    "kernel_tuning_governor": "tuning.cpu.governor",
    "kernel_tuning_hugepages": "tuning.hugepages",
    "kernel_tuning_idle_exit_us": "tuning.cpu.idle_exit_us",
    "kernel_tuning_pstate": "tuning.cpu.pstate",
    "kernel_tuning_sysctls": "tuning.sysctls",
    "kernel_tuning_thp": "tuning.thp",
    "nccl_devices": "rails",
    "nccl_settings": "collectives",
    "nccl_topology": "collectives.topology",
    "nccl_ucx_settings": "collectives",
    "nvidia_driver_dcgm": "acceptance.dcgm_level",
    "nvidia_driver_fabric_manager": "gpu_driver.nvswitch",
    "nvidia_driver_modules": "gpu_driver.peer_memory",
    "nvidia_driver_nvswitch": "gpu_driver.nvswitch",
    "nvidia_driver_options": "gpu_driver.parameters",
    "nvidia_driver_peer_memory": "gpu_driver.peer_memory",
    "nvidia_driver_printed": "gpu_driver.parameters",
    "nvidia_driver_subnet_manager": "gpu_driver.extras",
    "ofed_burn": "nics.firmware",
    "ofed_conflicts": "nics.stack",
    "ofed_devices": "rails",
    "ofed_excludes": "nics.stack",
    "ofed_kernel_names": "rails",
    "ofed_kernels": "nics.stack",
    "ofed_management_port": "management_port",
    "ofed_modules": "tuning.modules",
    "ofed_os_id": "os",
    "ofed_os_release": "os",
    "ofed_peer_memory": "gpu_driver.peer_memory",
    "ofed_reload": "nics.reload",
    "ofed_settings": "nics.settings",
    "ofed_stack": "nics.stack",
    "os_base_clock": "tuning.clock",
    "os_base_lldp_ports": "rails",
    "os_base_memlock": "tuning.limits.memlock_kib",
    "os_base_open_files": "tuning.limits.open_files",
    "os_base_ssh_unit": "os",
    "os_base_time_file": "os",
    "os_base_time_unit": "os",
    "package_family": "os",
    "package_repo_arch": "arch",
    "roce_nic_device_wishes": "nics",
    "roce_nic_devices": "rails",
    "roce_nic_network_tool": "nics.network",
    "roce_nic_qos_tool": "nics.qos_tool",
    "roce_nic_vendor": "nics.vendor",
}

# Variable to the key of fabric.yml.
IN_SITE = {
    "ofed_firmware": "versions.firmware",
    "oob_server_access_address": "oob.access",
    "oob_server_access_mac": "oob.ports",
    "oob_server_access_port": "oob.ports.access",
    "oob_server_clock": "oob.time.clock",
    "oob_server_domain": "oob.domain",
    "oob_server_name": "oob.server",
    "oob_server_time_sources": "oob.time.sources",
    "oob_server_trunk_mac": "oob.ports",
    "oob_server_trunk_port": "oob.ports.trunk",
    "oob_server_vlans": "oob.switches",
    "oob_server_zones": "oob.zones",
    "os_base_domain": "oob.domain",
    "os_base_hosts": "topology",
    "os_base_name": "topology",
    "os_base_time_servers": "oob.zones.hostmgmt",
    "package_repo_port": "oob.packages_port",
    "package_repo_prefix": "oob.zones.hostmgmt",
    "package_repo_uri": "oob.packages_port",
    "roce_nic_class_wishes": "lossless",
    "roce_nic_interfaces": "compute",
    "roce_nic_marks": "lossless.dscp",
    "roce_nic_sysctls": "compute",
}

# What the version lock says, or comes with it: packages, and the repository that has them.
IN_LOCK = frozenset(
    {
        *("container_runtime_packages", "gds_packages", "nccl_packages", "nvidia_driver_packages"),
        *("ofed_packages", "os_base_packages", "nvidia_driver_version"),
        *("package_repo_components", "package_repo_id", "package_repo_keyring_text"),
        *("package_repo_pins", "package_repo_suite"),
    }
)


def place_of(variable: str) -> str:
    """Where the inventory decides a variable that the plan computes; "" for any other name."""
    if variable in IN_PROFILE:
        return f"`{IN_PROFILE[variable]}` of the node's profile"
    if variable in IN_SITE:
        return f"`{IN_SITE[variable]}` of fabric.yml"
    return "the version lock, versions/OS-ARCH.yml" if variable in IN_LOCK else ""
