# shellcheck shell=sh
# Lets programs of this shell find the shared NCCL, its network plugin and nccl-tests:
#
#   . /fsx/nccl/current/setup-nccl-env.sh
#
# It sets LD_LIBRARY_PATH and PATH and, on nodes where monitoring.nccl_inspector has made its folder, what loads NCCL's
# inspector plugin. With libfabric from 1.18 and aws-ofi-nccl from 1.7 on, EFA needs no
# variable: not FI_PROVIDER, FI_EFA_USE_DEVICE_RDMA, FI_EFA_FORK_SAFE or RDMAV_FORK_SAFE.
# https://github.com/aws/aws-ofi-nccl/blob/master/doc/efa-env-var.md
# NCCL_ALGO, NCCL_PROTO, NCCL_MIN_NCHANNELS or NCCL_BUFFSIZE would take NVLS, Tree or LL128 from NCCL, which chooses better:
# https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html
# Where data loaders that fork fail with "Cannot allocate memory", the job itself sets FI_EFA_USE_HUGE_PAGE=0.
#
# A shell that uses it keeps its version: the name of the folder is resolved now, and `current` may lead elsewhere later.
# Of the shells that read /etc/profile.d, only bash tells a file that it reads where that file lies; others go without.

# In other shells this is empty, and in bash the first element is meant.
# shellcheck disable=SC2128,SC3028
if [ -n "${BASH_SOURCE:-}" ]; then
  trainyard_nccl=$(dirname "$(readlink -f "$BASH_SOURCE")")
  # The EFA installer's plugin, where none was built: in a folder of the architecture on Debian and Ubuntu.
  # https://github.com/awslabs/awsome-distributed-ai/issues/662
  for trainyard_dir in /opt/amazon/efa/lib64 /opt/amazon/efa/lib /opt/amazon/ofi-nccl/lib64 /opt/amazon/ofi-nccl/lib \
    /opt/amazon/ofi-nccl/lib/*-linux-gnu "$trainyard_nccl/lib"; do
    if [ -d "$trainyard_dir" ]; then
      case ":${LD_LIBRARY_PATH:-}:" in
      *":$trainyard_dir:"*) ;;
      *) LD_LIBRARY_PATH=$trainyard_dir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} ;;
      esac
    fi
  done
  case ":$PATH:" in
  *":$trainyard_nccl/bin:"*) ;;
  *) PATH=$trainyard_nccl/bin:$PATH ;;
  esac
  export LD_LIBRARY_PATH PATH
  # 30 seconds are the least in its mode for Prometheus. A profiler that the job has chosen stays.
  # https://github.com/NVIDIA/nccl/blob/master/plugins/profiler/inspector/README.md
  trainyard_dir=${TRAINYARD_SYSROOT:-}/var/lib/trainyard/nccl-inspector
  if [ -d "$trainyard_dir" ] && [ -z "${NCCL_PROFILER_PLUGIN:-}" ] &&
    [ -r "$trainyard_nccl/lib/libnccl-profiler-inspector.so" ]; then
    NCCL_INSPECTOR_DUMP_DIR=$trainyard_dir/$(id -u)
    export NCCL_PROFILER_PLUGIN="$trainyard_nccl/lib/libnccl-profiler-inspector.so" NCCL_INSPECTOR_DUMP_DIR \
      NCCL_INSPECTOR_ENABLE=1 NCCL_INSPECTOR_PROM_DUMP=1 NCCL_INSPECTOR_DUMP_THREAD_INTERVAL_MICROSECONDS=30000000
  fi
  unset trainyard_nccl trainyard_dir
fi
