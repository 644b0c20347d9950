#!/bin/bash
# What a node of AWS Batch does when it starts, before the ECS agent takes any job: stripe the NVMe drives, set huge pages
# aside, and mount file systems. Settings: /etc/trainyard/node.env.
#
# Packages come from the repositories of Amazon Linux 2023, which stay at the version of the image until somebody asks for
# another: https://docs.aws.amazon.com/linux/al2023/ug/deterministic-upgrades-usage.html
set -euo pipefail

settings=${TRAINYARD_NODE_ENV:-/etc/trainyard/node.env}
ecs_config=${TRAINYARD_ECS_CONFIG:-/etc/ecs/ecs.config}

main() {
  # shellcheck disable=SC1090  # the template writes it
  . "$settings"
  keep_jobs_from_metadata
  stripe_drives
  set_huge_pages
  mount_file_systems
}

# A node without its file systems would fail every job that it is given, so it takes none. The agent starts after this
# script; what happened stands in the console output of the instance, and in /var/log/cloud-init-output.log.
take_no_jobs() {
  echo "trainyard: this node takes no jobs: line $1 of its start failed, see above" | tee /dev/console >&2 || true
  systemctl mask ecs.service
}

# https://docs.aws.amazon.com/AmazonECS/latest/developerguide/ecs-agent-config.html
keep_jobs_from_metadata() {
  echo "ECS_AWSVPC_BLOCK_IMDS=true" >>"$ecs_config"
}

# Only instance stores: the model tells them from EBS volumes, which are NVMe devices too.
# https://docs.aws.amazon.com/ebs/latest/userguide/identify-nvme-ebs-device.html
local_drives() {
  lsblk --nodeps --noheadings --output NAME,MODEL | awk '/Amazon EC2 NVMe Instance Storage/ {print "/dev/" $1}'
}

stripe_drives() {
  mapfile -t drives < <(local_drives)
  mkdir -p "$SCRATCH_MOUNT"
  if ((${#drives[@]} > 0)); then
    local device=${drives[0]}
    if ((${#drives[@]} > 1)); then
      install_package mdadm
      device=/dev/md/scratch
      mdadm --create "$device" --level=0 --raid-devices="${#drives[@]}" --run "${drives[@]}"
    fi
    mkfs.xfs -f -K "$device"
    mount -o noatime "$device" "$SCRATCH_MOUNT"
  fi
  chmod 1777 "$SCRATCH_MOUNT"
}

set_huge_pages() {
  if ((HUGE_PAGES > 0)); then
    sysctl --write "vm.nr_hugepages=$HUGE_PAGES"
  fi
}

mount_file_systems() {
  local one kind id mount
  for one in $FILE_SYSTEMS; do
    IFS=: read -r kind id mount <<<"$one"
    mkdir -p "$mount"
    "mount_$kind" "$id" "$mount"
  done
}

# Clients: https://docs.aws.amazon.com/fsx/latest/LustreGuide/install-lustre-client.html
# Options, here and below, are those of ParallelCluster: resources/lustre/partial/_mount_unmount.rb below
# https://github.com/aws/aws-parallelcluster-cookbook/tree/develop/cookbooks/aws-parallelcluster-environment
mount_lustre() {
  local address name
  install_package lustre-client
  read -r address name < <(ask_fsx describe-file-systems --file-system-ids "$1" \
    --query 'FileSystems[0].[DNSName,LustreConfiguration.MountName]')
  mount -t lustre -o noatime,flock,user_xattr "$address@tcp:/$name" "$2"
}

mount_openzfs() {
  local file_system path address
  install_package nfs-utils
  read -r file_system path < <(ask_fsx describe-volumes --volume-ids "$1" \
    --query 'Volumes[0].[FileSystemId,OpenZFSConfiguration.VolumePath]')
  address=$(ask_fsx describe-file-systems --file-system-ids "$file_system" --query 'FileSystems[0].DNSName')
  mount -t nfs -o nfsvers=4.2 "$address:$path" "$2"
}

ask_fsx() {
  install_package awscli-2 >&2
  aws --region "$REGION" fsx "$@" --output text
}

install_package() {
  rpm --query --quiet "$1" || dnf install --assumeyes --quiet "$1"
}

trap 'take_no_jobs "$LINENO"' ERR
set -o errtrace
main
