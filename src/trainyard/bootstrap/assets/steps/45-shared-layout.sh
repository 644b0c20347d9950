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

# A folder of that name on the root volume would fill it, and no other node would see it.
need_mount() {
  mountpoint --quiet "$ROOT$TRAINYARD_SHARED" ||
    fail "$STATUS_HARDWARE" "$TRAINYARD_SHARED is not mounted: look for it in the output of 'mount' and in /var/log/chef-client.log"
}

# Who else could write to the shared file system may have put something there, and root follows neither their links nor
# takes over their folders.
trusted() {
  local user=$1 folder=$2 owner
  [[ ! -L $folder ]] ||
    fail "$STATUS_HARDWARE" "$folder is a symbolic link, which root does not follow: move it away"
  [[ -e $folder ]] || return 0
  owner=$(stat --format=%U "$folder")
  [[ $owner == root || $owner == "$user" ]] ||
    fail "$STATUS_HARDWARE" "$folder belongs to $owner, neither to root nor to $user: move it away, or give it to $user"
}

owned_by() {
  local user=$1 folder=$2
  [[ $(stat --format=%U "$folder") != "$user" ]] || return 0
  attempt "give $folder to $user" chown --no-dereference "$user:" "$folder"
  note_change "gave $folder to $user"
}

need TRAINYARD_SHARED
need_mount
user=$(cluster_user)
for name in nccl containers logs; do trusted "$user" "$ROOT$TRAINYARD_SHARED/$name"; done
for name in nccl containers; do
  folder "$ROOT$TRAINYARD_SHARED/$name" 0755
  owned_by "$user" "$ROOT$TRAINYARD_SHARED/$name"
done
folder "$ROOT$TRAINYARD_SHARED/logs" 1777
finish
