#!/usr/bin/env bash
# Runs what is published for a cluster. ParallelCluster runs this script as root on every node of a cluster that
# installs anything, once the node is configured, with the folder in S3 that the script came from:
#
#   launch.sh s3://BUCKET/trainyard/CLUSTER
#
# In that folder lie
#
#   release           the pointer: one line with the SHA-256 and the file name of a release, or the word none
#   releases/FILE     releases: tar archives that hold run.sh
#
# ParallelCluster refuses or interrupts updates that change the URL or the argument of a custom action. So neither ever
# changes, and neither does the task of this script: to fetch, verify and run what the pointer names.
#
# Nothing published is no failure. Whatever goes wrong ends the script with status 1 and one line that says what.
set -euo pipefail
umask 022

# Tests run the script somewhere else.
ROOT=${TRAINYARD_ROOT:-/opt/trainyard}
NODE_SETTINGS=${TRAINYARD_CFNCONFIG:-/etc/parallelcluster/cfnconfig}
FIRST_PAUSE_S=${TRAINYARD_FIRST_PAUSE_S:-2}
# With pauses of 2, 4, 8, 16 and 32 s that is a minute. AWS does not say how long the rights of a new role take to reach
# S3, only that it is not at once; longer would cost who waits in vain, and login nodes have ten minutes for everything.
# https://docs.aws.amazon.com/IAM/latest/UserGuide/troubleshoot_general.html#troubleshoot_general_eventual-consistency
ATTEMPTS=6

# ParallelCluster installs the AWS command line there, in aws-parallelcluster-platform/recipes/install/awscli.rb of
# https://github.com/aws/aws-parallelcluster-cookbook
PATH=$PATH:/usr/local/bin

# On the head node, ParallelCluster swallows what a script writes to standard error. So it goes to the system log too,
# which the CloudWatch agent reads. custom_action_executor.py in https://github.com/aws/aws-parallelcluster-cookbook
note() {
  logger -t trainyard -- "$1" || true
}

say() {
  echo "trainyard: $1"
  note "$1"
}

fail() {
  echo "trainyard: $1" >&2
  note "failed: $1"
  exit 1
}

# Prints the region of the cluster.
region() {
  sed -n 's/^cfn_region=//p' "$NODE_SETTINGS" 2>/dev/null | tr -d "\"'" || true
}

# fetch KEY FILE: copies an object of the folder to a file, and tries again where that can help.
# Returns 2 where there is no such object.
fetch() {
  local key=$1 file=$2 attempt pause=$FIRST_PAUSE_S problem
  for ((attempt = 1; ; attempt++)); do
    problem=$(aws s3 cp --only-show-errors --region "$REGION" "$FOLDER/$key" "$file" 2>&1) && return
    problem=${problem##*$'\n'}
    case $problem in
    *"(404)"*) return 2 ;;
    # S3 says the same of what does not exist to who may not list the bucket, as nodes may not.
    # https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadObject.html
    # And it says so while the rights of a new instance profile are on their way, so this may pass: see ATTEMPTS.
    *"(403)"* | *AccessDenied*)
      ((attempt < ATTEMPTS)) || fail "$FOLDER/$key was never uploaded, or this node may not read it: $problem"
      ;;
    *"No space left"*) fail "cannot download $FOLDER/$key: no space left below $ROOT" ;;
    esac
    ((attempt < ATTEMPTS)) || fail "cannot download $FOLDER/$key in $ATTEMPTS attempts: $problem"
    sleep "$pause"
    pause=$((pause * 2))
  done
}

# Sets DIGEST and FILE, or ends the script where nothing is published.
read_pointer() {
  local pointer=none
  if fetch release "$WORK/release"; then
    pointer=$(head -c 1000 "$WORK/release" | tr -d '\0')
  fi
  if [[ $pointer == none ]]; then
    say "nothing is published for this cluster yet in $FOLDER/release, so nothing is installed"
    exit 0
  fi
  # A file name, never a path: it can lead nowhere else.
  [[ $pointer =~ ^([0-9a-f]{64})\ +([A-Za-z0-9][A-Za-z0-9._-]*)$ ]] ||
    fail "$FOLDER/release holds $(printf '%.100q' "$pointer") instead of a SHA-256 and a file name"
  DIGEST=${BASH_REMATCH[1]}
  FILE=${BASH_REMATCH[2]}
}

# Puts the release into its place, all of it or nothing.
unpack() {
  local archive=$WORK/archive tree=$WORK/tree found
  fetch "releases/$FILE" "$archive" || fail "$FOLDER/release names $FILE, which is not in $FOLDER/releases"
  found=$(sha256sum "$archive" | cut -d ' ' -f 1)
  [[ $found == "$DIGEST" ]] || fail "$FILE is not what was published: its SHA-256 is $found instead of $DIGEST"
  mkdir "$tree" || fail "cannot write to $ROOT"
  # One line is enough, and tar would write one for every file.
  tar --extract --no-same-owner --file "$archive" --directory "$tree" 2>/dev/null ||
    fail "cannot unpack $FILE below $ROOT: it is no archive, or no space is left"
  [[ -x $tree/run.sh ]] || fail "$FILE holds no run.sh that can be run"
  # On the disk before it has its name: a node that dies in between finds nothing or all of it.
  sync -f "$tree"
  # Another run may have been quicker, with the same content.
  mv -T "$tree" "$RELEASE" 2>/dev/null || [[ -d $RELEASE ]] || fail "cannot put $FILE into $RELEASE"
}

[[ $# -eq 1 && $1 == s3://?*/?* ]] || fail "usage: launch.sh s3://BUCKET/FOLDER"
FOLDER=${1%/}
REGION=$(region)
[[ -n $REGION ]] || fail "$NODE_SETTINGS does not name the region of the cluster"
command -v aws >/dev/null || fail "the AWS command line is missing: use an image that ParallelCluster made"

mkdir -p "$ROOT/releases" 2>/dev/null || fail "cannot write to $ROOT"
WORK=$(mktemp -d "$ROOT/releases/.new.XXXXXX" 2>/dev/null) || fail "cannot write to $ROOT"
trap 'rm -rf "$WORK"' EXIT

read_pointer
RELEASE=$ROOT/releases/$DIGEST
[[ -d $RELEASE ]] || unpack
say "running $FILE"
# What exec replaces no longer cleans up.
rm -rf "$WORK"
cd "$RELEASE"
exec ./run.sh "$FOLDER"
