#!/usr/bin/env bash
# The volume of the monitoring instance: metrics, Grafana's database and Alertmanager's silences lie on it, so that another
# instance finds them. The instance attaches it itself: CloudFormation starts a new instance before it ends the former one,
# and could not attach the volume to both. What is not attached yet is tried again at the next look.
set -euo pipefail
# shellcheck source=src/trainyard/bootstrap/assets/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

# Where systemd keeps the state of units with DynamicUser, which are the three of this instance:
# https://www.freedesktop.org/software/systemd/man/latest/systemd.exec.html#RuntimeDirectory=
PLACE=$ROOT/var/lib/private
UNIT=var-lib-private.mount
SERVICES=(trainyard-grafana.service trainyard-alertmanager.service trainyard-keeper.service)
# On the volume, once what this instance had kept on its own disk before lies there whole.
COMPLETE=.trainyard-volume
WAIT_S=${TRAINYARD_DEVICE_WAIT_S:-60}

# An NVMe device has the id of its volume as its serial number, without the hyphen.
# https://docs.aws.amazon.com/ebs/latest/userguide/identify-nvme-ebs-device.html
device() {
  printf '%s' "$ROOT/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_${TRAINYARD_DATA_VOLUME/-/}"
}

# attach_as NAME: attaches the volume, or sets PROBLEM. NAME is what EC2 calls the device; an NVMe one is called otherwise.
attach_as() {
  PROBLEM=$(aws ec2 attach-volume --region "$TRAINYARD_REGION" --volume-id "$TRAINYARD_DATA_VOLUME" --device "$1" \
    --instance-id "$TRAINYARD_INSTANCE_ID" --cli-connect-timeout 10 --cli-read-timeout 60 2>&1)
}

# What EC2 calls these: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
attach() {
  local name
  for name in /dev/sdf /dev/sdg /dev/sdh; do
    ! attach_as "$name" || {
      note_change "attached $TRAINYARD_DATA_VOLUME"
      return
    }
    # A former volume is still there: another name is free.
    [[ $PROBLEM == *"already in use"* && $PROBLEM == *"$name"* ]] || break
  done
  PROBLEM=$(last_line "$PROBLEM" "aws said nothing")
  case $PROBLEM in
  *VolumeInUse* | *IncorrectState*)
    fail "$STATUS_LATER" "$TRAINYARD_DATA_VOLUME is still attached to another instance: this is tried again until that one is gone; where it stays, end it or detach the volume"
    ;;
  *ZoneMismatch*)
    fail "$STATUS_SETTING" "$TRAINYARD_DATA_VOLUME is in another zone than this instance: make a snapshot of it, a volume of that in this zone, and name that in monitoring.volume_id"
    ;;
  *InvalidVolume.NotFound* | *InvalidParameterValue*) fail "$STATUS_SETTING" "cannot attach $TRAINYARD_DATA_VOLUME: $PROBLEM" ;;
  *) fail "$STATUS_UNREACHABLE" "cannot attach $TRAINYARD_DATA_VOLUME: $PROBLEM" ;;
  esac
}

await_device() {
  local waited_s=0
  until [[ -e $(device) ]]; do
    ((waited_s < WAIT_S)) ||
      fail "$STATUS_HARDWARE" "$TRAINYARD_DATA_VOLUME did not appear as $(device) within $WAIT_S seconds: is it still attaching, or is $TRAINYARD_INSTANCE_TYPE a type without NVMe? Name one that is built on Nitro in monitoring.instance_type"
    sleep 2
    waited_s=$((waited_s + 2))
  done
}

# mounted: whether the volume is in its place. MOUNTED says what is there, if anything.
mounted() {
  MOUNTED=$(sed -n "s|^\([^ ]*\) ${PLACE#"$ROOT"} .*|\1|p" "$ROOT/proc/mounts" 2>/dev/null | tail -n 1)
  [[ -n $MOUNTED && $(readlink -f "$ROOT$MOUNTED") == "$(readlink -f "$(device)")" ]]
}

# Only what holds nothing at all is formatted: mkfs.xfs itself refuses where it sees a file system or partitions.
# What blkid ends with: https://man7.org/linux/man-pages/man8/blkid.8.html
make_file_system() {
  local kind status=0
  kind=$(blkid --probe --output value --match-tag TYPE "$(device)") || status=$?
  case $status:$kind in
  0:xfs) ;;
  2:) attempt "make a file system on $TRAINYARD_DATA_VOLUME" mkfs.xfs "$(device)" && note_change "made a file system on $TRAINYARD_DATA_VOLUME" ;;
  *) fail "$STATUS_SETTING" "$TRAINYARD_DATA_VOLUME holds ${kind:-something} and no XFS: nothing was written to it; name a blank volume, or one of a monitoring instance" ;;
  esac
}

stop_services() {
  local unit
  for unit in "${SERVICES[@]}"; do
    ! systemctl --quiet is-active "$unit" || attempt "stop $unit" systemctl stop "$unit"
  done
}

# What an instance has kept on its own disk moves once: earlier versions had no volume. Whoever has one already keeps it.
move_data() {
  local work
  work=$(mktemp --directory) || fail "$STATUS_NO_SPACE" "cannot make a folder in ${TMPDIR:-/tmp}: make room"
  attempt "mount $TRAINYARD_DATA_VOLUME" mount -o nodev,nosuid "$(device)" "$work"
  if [[ ! -e $work/$COMPLETE ]]; then
    attempt "copy $PLACE to $TRAINYARD_DATA_VOLUME" cp --archive "$PLACE/." "$work/"
    attempt "write to $TRAINYARD_DATA_VOLUME" chmod 0700 "$work"
    attempt "write to $TRAINYARD_DATA_VOLUME" touch "$work/$COMPLETE"
    note_change "copied $PLACE to $TRAINYARD_DATA_VOLUME"
  fi
  attempt "unmount $TRAINYARD_DATA_VOLUME" umount "$work"
  rmdir "$work"
}

# https://www.freedesktop.org/software/systemd/man/latest/systemd.mount.html
unit() {
  cat <<EOT
[Unit]
Description=Volume with metrics, and with what Grafana and Alertmanager keep

[Mount]
What=/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_${TRAINYARD_DATA_VOLUME/-/}
Where=/var/lib/private
Type=xfs
Options=nodev,nosuid,noatime

[Install]
WantedBy=multi-user.target
EOT
}

need TRAINYARD_DATA_VOLUME TRAINYARD_INSTANCE_ID TRAINYARD_REGION
[[ -e $(device) ]] || attach
await_device
# systemd wants just this mode: https://github.com/systemd/systemd/blob/main/src/core/exec-invoke.c
folder "$PLACE" 0700
if ! mounted; then
  make_file_system
  ! systemd_runs || stop_services
  [[ -z $MOUNTED ]] || attempt "unmount a former volume" systemctl stop "$UNIT"
  move_data
fi
unit | put "$ROOT/etc/systemd/system/$UNIT" 0644
service "$UNIT"
# A volume that was made larger is used whole.
! mounted || attempt "use the whole of $TRAINYARD_DATA_VOLUME" xfs_growfs "$PLACE"
finish
