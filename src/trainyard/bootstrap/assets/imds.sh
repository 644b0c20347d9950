#!/usr/bin/env bash
# Lets root ask the instance metadata service for the credentials of the node, and nobody else who runs on it: as
# ParallelCluster does on head nodes, with a chain of its own that is replaced as a whole.
# https://docs.aws.amazon.com/parallelcluster/latest/ug/HeadNode-v3.html#HeadNode-v3-Imds
# https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-data-retrieval.html
# Processes of users in containers without an interface of their own are users here too; others are behind a hop, where
# the answer ends: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instance-metadata-options-order-of-precedence.html
set -euo pipefail

readonly CHAIN=TRAINYARD-IMDS
# computemgtd of ParallelCluster runs as pcluster-admin, and asks EC2 whether its node is still wanted. Amazon DCV asks
# whether it has a licence: cookbooks/aws-parallelcluster-environment/attributes of
# https://github.com/aws/aws-parallelcluster-cookbook (head_node_imds_allowed_users)
readonly ALLOWED=(root pcluster-admin dcv)

# restrict PROGRAM ADDRESS: gives the chain its rules, and leads what goes to the address into it.
restrict() {
  local user
  {
    printf '*filter\n:%s - [0:0]\n' "$CHAIN"
    for user in "${ALLOWED[@]}"; do
      ! getent passwd "$user" >/dev/null || printf -- '-A %s -m owner --uid-owner %s -j RETURN\n' "$CHAIN" "$user"
    done
    printf -- '-A %s -j REJECT\nCOMMIT\n' "$CHAIN"
  } | "$1-restore" --wait 10 --noflush
  "$1" --wait 10 --check OUTPUT --destination "$2" --jump "$CHAIN" 2>/dev/null ||
    "$1" --wait 10 --insert OUTPUT 1 --destination "$2" --jump "$CHAIN"
}

restrict iptables 169.254.169.254
# A kernel without IPv6 has no way to the other address.
[[ ! -e /proc/net/if_inet6 ]] || restrict ip6tables fd00:ec2::254
