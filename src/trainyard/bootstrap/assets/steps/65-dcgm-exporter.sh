#!/usr/bin/env bash
# NVIDIA's DCGM exporter on port 9400, from the package datacenter-gpu-manager-exporter of the CUDA repository:
# https://docs.nvidia.com/datacenter/dcgm/latest/installation/install-dcgm-exporter.html
# It needs DCGM 4, which ParallelCluster's images bring.
set -euo pipefail
# shellcheck source=src/trainyard/bootstrap/assets/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

UNIT=nvidia-dcgm-exporter.service
COUNTERS=$ROOT/etc/trainyard/dcgm-counters.csv

need_gpu() {
  [[ -e $ROOT/dev/nvidiactl ]] ||
    fail "$STATUS_HARDWARE" "there is no /dev/nvidiactl: no NVIDIA GPU, or its driver is not loaded; see 'nvidia-smi' and 'dmesg'"
}

# dpkg would leave a package half installed that lacks its dependency.
need_dcgm() {
  local libraries
  libraries=$(ldconfig -p)
  [[ $libraries == *libdcgm.so.4* ]] ||
    fail "$STATUS_HARDWARE" "DCGM 4 is missing: use an image of a ParallelCluster that brings it, or install datacenter-gpu-manager-4-core in yours"
}

# The names are of https://github.com/NVIDIA/dcgm-exporter/blob/main/etc/default-counters.csv
counters() {
  cat <<'EOT'
DCGM_FI_DEV_SM_CLOCK, gauge, Clock of the streaming multiprocessors in MHz
DCGM_FI_DEV_MEM_CLOCK, gauge, Clock of the memory in MHz
DCGM_FI_DEV_GPU_TEMP, gauge, Temperature of the GPU in degrees Celsius
DCGM_FI_DEV_MEMORY_TEMP, gauge, Temperature of the memory in degrees Celsius
DCGM_FI_DEV_POWER_USAGE, gauge, Power draw in W
DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION, counter, Energy since boot in mJ
DCGM_FI_DEV_POWER_VIOLATION, counter, Time throttled for power
DCGM_FI_DEV_THERMAL_VIOLATION, counter, Time throttled for temperature
DCGM_FI_DEV_GPU_UTIL, gauge, Share of time in which a kernel ran in percent
DCGM_FI_DEV_MEM_COPY_UTIL, gauge, Share of time in which memory was copied in percent
DCGM_FI_DEV_FB_FREE, gauge, Free memory in MiB
DCGM_FI_DEV_FB_USED, gauge, Used memory in MiB
DCGM_FI_DEV_XID_ERRORS, gauge, Number of the last Xid
DCGM_FI_DEV_ECC_SBE_VOL_TOTAL, counter, Single-bit ECC errors since the driver was loaded
DCGM_FI_DEV_ECC_DBE_VOL_TOTAL, counter, Double-bit ECC errors since the driver was loaded
DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS, counter, Rows remapped for uncorrectable errors
DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS, counter, Rows remapped for correctable errors
DCGM_FI_DEV_ROW_REMAP_FAILURE, gauge, Whether remapping rows has failed
DCGM_FI_DEV_PCIE_REPLAY_COUNTER, counter, PCIe retries
DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL, counter, NVLink bandwidth counters of all lanes
DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL, counter, NVLink flow-control CRC errors
DCGM_FI_DEV_NVLINK_CRC_DATA_ERROR_COUNT_TOTAL, counter, NVLink data CRC errors
DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL, counter, NVLink retries
DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL, counter, NVLink recovery errors
EOT
}

# Before Hopper, only one program at a time can read profiling counters, and a job's profiler has to find them free:
# https://github.com/NVIDIA/dcgm-exporter/issues/7 and https://github.com/NVIDIA/DCGM/issues/56
# From compute capability 9.0 on, NVML has them from another part of the GPU, beside any profiler:
# https://github.com/NVIDIA/DCGM/issues/62 and
# https://docs.nvidia.com/datacenter/dcgm/latest/reference/dcgm-api/dcgm-api-profiling.html
# Those of NVLink are rates already: https://docs.nvidia.com/datacenter/dcgm/latest/user-guide/feature-overview.html
activity() {
  local capability
  capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null) || return 0
  [[ $capability =~ ^[0-9]+ ]] && ((BASH_REMATCH[0] >= 9)) || return 0
  cat <<'EOT'
DCGM_FI_PROF_SM_ACTIVE, gauge, Share of time in which a streaming multiprocessor had work
DCGM_FI_PROF_PIPE_TENSOR_ACTIVE, gauge, Share of cycles in which tensor cores worked
DCGM_FI_PROF_DRAM_ACTIVE, gauge, Share of cycles in which the memory interface moved data
DCGM_FI_PROF_NVLINK_TX_BYTES, gauge, NVLink bytes sent a second
DCGM_FI_PROF_NVLINK_RX_BYTES, gauge, NVLink bytes received a second
EOT
}

# The package's unit wants nvidia-dcgm.service, so its host engine runs; by default the exporter would start a second one
# inside itself. It writes to /var/dcgm-exporter.log, which nothing rotates, and is not started again when it fails.
# https://github.com/NVIDIA/dcgm-exporter/blob/main/packaging/config-files/systemd/nvidia-dcgm-exporter.service
# https://docs.nvidia.com/datacenter/dcgm/latest/reference/command-line-reference/dcgm-exporter.html
drop_in() {
  cat <<'EOT'
[Service]
ExecStart=
ExecStart=/usr/bin/dcgm-exporter --collectors /etc/trainyard/dcgm-counters.csv --address :9400 --remote-hostengine-info localhost:5555
Restart=on-failure
RestartSec=10
StandardOutput=journal
StandardError=journal
EOT
}

need_gpu
need_dcgm
packages=$(asset dcgm-exporter) || exit $?
mapfile -t files <<<"$packages"
fresh=0
install_packages "${files[@]}"
! changed || fresh=1
{
  counters
  activity
} | put "$COUNTERS" 0644
! changed || fresh=1
drop_in | put "$ROOT/etc/systemd/system/$UNIT.d/trainyard.conf" 0644
! changed || fresh=1
if ((fresh)); then restart "$UNIT"; else service "$UNIT"; fi
finish
