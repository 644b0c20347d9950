#!/usr/bin/env bash
# Makes the folders of the shared file system, from the head node:
#
#   nccl         NCCL, which nccl/build-nccl.sbatch builds: the cluster's user may write, all may read
#   containers   images for Pyxis, which containers/import-image.sh imports: the same
#   logs         what jobs write: everybody may write, and nobody may remove what is another's
#
# What everybody may write is nothing that other people's jobs load: libraries and images belong to the cluster's user,
# who is an administrator anyway.
set -euo pipefail
# shellcheck source=src/trainyard/bootstrap/assets/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

CFNCONFIG=$ROOT/etc/parallelcluster/cfnconfig

# Prints the cluster's user, such as ubuntu. ParallelCluster writes it there:
# cookbooks/aws-parallelcluster-environment of https://github.com/aws/aws-parallelcluster-cookbook
cluster_user() {
  local user
  user=$(sed -n 's/^cfn_cluster_user=//p' "$CFNCONFIG" 2>/dev/null | tr -d "\"'") || true
  [[ $user =~ ^[a-z_][a-z0-9_-]*$ ]] ||
    fail "$STATUS_SETTING" "$CFNCONFIG does not name the user of the cluster: this is no node that ParallelCluster configured"
  printf '%s' "$user"
}

# A folder of that name on the root volume would fill it, and no other node would see it.
need_mount() {
  mountpoint --quiet "$ROOT$TRAINYARD_SHARED" ||
    fail "$STATUS_HARDWARE" "$TRAINYARD_SHARED is not mounted: look for it in the output of 'mount' and in /var/log/chef-client.log"
}

owned_by() {
  local user=$1 folder=$2
  [[ $(stat --format=%U "$folder") != "$user" ]] || return 0
  attempt "give $folder to $user" chown "$user:" "$folder"
  note_change "gave $folder to $user"
}

need TRAINYARD_SHARED
need_mount
user=$(cluster_user)
for name in nccl containers; do
  folder "$ROOT$TRAINYARD_SHARED/$name" 0755
  owned_by "$user" "$ROOT$TRAINYARD_SHARED/$name"
done
folder "$ROOT$TRAINYARD_SHARED/logs" 1777
finish
