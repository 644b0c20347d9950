#!/usr/bin/env bash
# Runs the script on standard input as the user of the cluster, such as ubuntu, in a login shell, so that Slurm is found.
# ParallelCluster names the user in its settings: cookbooks/aws-parallelcluster-environment of
# https://github.com/aws/aws-parallelcluster-cookbook
set -euo pipefail

readonly SETTINGS=${TRAINYARD_CFNCONFIG:-/etc/parallelcluster/cfnconfig}

main() {
  local user
  user=$(sed -n "/^cfn_cluster_user=/{s///;s/[\"']//g;p;q}" "$SETTINGS" 2>/dev/null) || true
  if ! [[ $user =~ ^[a-z_][a-z0-9_-]*$ ]]; then
    printf 'trainyard: error: %s does not name the user of the cluster: is this its head node?\n' "$SETTINGS" >&2
    exit 64
  fi
  exec sudo -n -H -u "$user" -- bash -l -s -- "$@"
}

main "$@"
