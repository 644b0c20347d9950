#!/usr/bin/env bash
# Makes the folders of the shared file system, from the head node:
#
#   nccl         NCCL, which nccl/build-nccl.sbatch builds: the cluster's user may write, all may read
#   containers   images for Pyxis, which containers/import-image.sh imports: the same
#   software     programs for all users, whose modulefiles lie in software/modulefiles: the same
#   logs         what jobs write: everybody may write, and nobody may remove what is another's
#
# What everybody may write is nothing that other people's jobs load: libraries, programs and images belong to the cluster's
# user, who is an administrator anyway. Every node lets the shells of users, not of root, find the modules.
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
#
# trusted USER FOLDER [NAME]: fails where FOLDER is a link, or where it, by another name of it, is somebody else's.
trusted() {
  local user=$1 folder=$2 owner
  [[ ! -L $folder ]] || no_link "$folder"
  [[ -e $folder ]] || return 0
  owner=$(stat --format=%U "${3:-$folder}")
  [[ $owner == root || $owner == "$user" ]] ||
    fail "$STATUS_HARDWARE" "$folder belongs to $owner, neither to root nor to $user: move it away, or give it to $user"
}

no_link() {
  fail "$STATUS_HARDWARE" "$1 is a symbolic link, which root does not follow: move it away"
}

# settle NAME MODE OWNER: makes a folder and gives it mode and owner, from within: what has its name by then may be
# another, and the file system is everybody's.
settle() {
  local folder=$SHARED/$1 mode=$2 owner=$3
  [[ -d $folder ]] || {
    attempt "make the folder $folder" mkdir "$folder"
    note_change "made $folder"
  }
  cd -P "$folder"
  [[ $PWD == "$folder" ]] || no_link "$folder"
  trusted "$user" "$folder" .
  [[ $(stat --format=%a .) == "$mode" ]] || {
    attempt "change the mode of $folder" chmod "$mode" .
    note_change "gave $folder the mode $mode"
  }
  [[ -z $owner || $(stat --format=%U .) == "$owner" ]] || {
    attempt "give $folder to $owner" chown "$owner:" .
    note_change "gave $folder to $owner"
  }
}

make_folders() {
  local user name
  need_mount
  user=$(cluster_user)
  SHARED=$(cd -P "$ROOT$TRAINYARD_SHARED" && pwd)
  for name in nccl containers software software/modulefiles logs; do trusted "$user" "$SHARED/$name"; done
  for name in nccl containers software software/modulefiles; do settle "$name" 755 "$user"; done
  settle logs 1777 ""
}

need TRAINYARD_SHARED TRAINYARD_ROLE
[[ $TRAINYARD_ROLE != head ]] || make_folders
link "$TRAINYARD_SHARED/software" "$ROOT/opt/trainyard/software"
put "$ROOT/etc/profile.d/trainyard-modules.sh" 0644 <"$(dirname "${BASH_SOURCE[0]}")/../modules-profile.sh"
finish
