# shellcheck shell=sh
# Lets login shells use this node's copy of the shared NCCL. Those of root go without: what root runs loads nothing that a
# job has built.
if [ "$(id -u)" -ne 0 ] && [ -r /opt/trainyard/nccl/current/setup-nccl-env.sh ]; then
  # shellcheck source=src/trainyard/bootstrap/assets/nccl/setup-nccl-env.sh
  . /opt/trainyard/nccl/current/setup-nccl-env.sh
fi
