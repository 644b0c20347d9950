#!/usr/bin/env bash
# Brings EFA to the version that the spec asks for, where the image has an older one, and checks that the interfaces of
# the node are there and that libfabric offers them.
#
# The installer keeps the kernel module of the image (--skip-kmod), which was built for its kernel: so nothing is
# compiled and no reboot is ever needed. Nor is its test run (--no-verify), because the checks below are stricter. Two
# of its options do harm here: --skip-limit-conf removes the package that lifts the limit of locked memory, and
# --minimal leaves libfabric out. Read in efa_installer.sh of the archive; its options:
# https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-start.html
set -euo pipefail
# shellcheck source=src/trainyard/bootstrap/assets/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

PACKAGES=$ROOT/opt/amazon/efa_installed_packages
ATTEMPTS=10

installed_version() {
  sed -n '/^# EFA installer version: */{s///p;q}' "$PACKAGES" 2>/dev/null
}

bring_to_version() {
  local wanted=$TRAINYARD_EFA_VERSION found
  found=$(installed_version) || true
  [[ -n $wanted && $wanted != "$found" ]] || return 0
  supported_system "install EFA on" "leave efa_version out"
  # The installer leaves what is newer as it is, and yet writes down its own version: package_should_be_skipped.
  [[ -z $found || $(printf '%s\n' "$wanted" "$found" | sort --version-sort | sed -n 1p) == "$found" ]] ||
    fail "$STATUS_SETTING" "efa_version $wanted is older than EFA $found of the image, and EFA is never downgraded: leave efa_version out or choose an older image"
  say "EFA ${found:-none} becomes $wanted"
  install_version "$wanted"
}

install_version() {
  local archive
  archive=$(asset efa-installer) || exit $?
  folder "$ROOT/var/tmp"
  WORK=$(mktemp --directory "$ROOT/var/tmp/trainyard-efa.XXXXXX") || fail "$STATUS_NO_SPACE" "cannot make a folder in $ROOT/var/tmp: make room"
  trap 'rm -rf "$WORK"' EXIT
  attempt "unpack ${archive##*/}" tar --extract --gzip --no-same-owner --file "$archive" --directory "$WORK"
  [[ -f $WORK/aws-efa-installer/efa_installer.sh ]] ||
    fail "$STATUS_DAMAGED" "${archive##*/} holds no aws-efa-installer/efa_installer.sh: lock and deploy the assets again"
  wait_for_package_lock
  run_installer
  [[ $(installed_version) == "$1" ]] ||
    fail "$STATUS_DAMAGED" "${archive##*/} is not version $1, because it installed '$(installed_version)': lock and deploy the assets again"
  note_change "installed EFA $1"
}

# The installer looks for its files in the current folder.
run_installer() {
  local said status=0
  said=$(cd "$WORK/aws-efa-installer" && bash ./efa_installer.sh --yes --skip-kmod --no-verify 2>&1) || status=$?
  say "$said"
  ((status)) || return 0
  no_space "$said" "install EFA"
  case $said in
  *"Could not get lock"* | *"Unable to acquire the dpkg"* | *"Waiting for process with pid"*) package_lock_held ;;
  *"Could not resolve"* | *"Temporary failure resolving"* | *"Failed to fetch"* | *"Cannot download"*)
    fail "$STATUS_UNREACHABLE" "the EFA installer lacks packages that the image should have and cannot download them: give the subnet a route, or keep the image's EFA"
    ;;
  esac
  fail 1 "the EFA installer failed: $(last_line "$(grep -i error <<<"$said" || true)" "it ended with status $status")"
}

# What has the driver efa: on p6-b200, for one, the controllers of the NVSwitches are in the same folder.
# https://github.com/aws/sagemaker-hyperpod-cli/pull/282
interfaces() {
  readlink "$ROOT"/sys/class/infiniband/*/device/driver 2>/dev/null | grep --count '/efa$' || true
}

# wait_for_interfaces COUNT: devices appear some time after their driver.
wait_for_interfaces() {
  local attempt
  (($(interfaces) < $1)) || return 0
  modprobe efa 2>/dev/null || true
  for ((attempt = 0; attempt < ATTEMPTS && $(interfaces) < $1; attempt++)); do
    sleep 3
  done
}

# check_setting: one interface at least has to be there where nobody knows how many: without EFA this step does not run.
check_setting() {
  [[ ${TRAINYARD_EFA_INTERFACES:-1} =~ ^(0|[1-9][0-9]*)$ ]] ||
    fail "$STATUS_SETTING" "TRAINYARD_EFA_INTERFACES is '$TRAINYARD_EFA_INTERFACES' instead of a number: render and publish the release again"
  WANTED=${TRAINYARD_EFA_INTERFACES:-1}
}

check_interfaces() {
  local found
  wait_for_interfaces "$WANTED"
  found=$(interfaces)
  ((found || ${#TRAINYARD_EFA_INTERFACES})) ||
    fail "$STATUS_HARDWARE" "this $TRAINYARD_INSTANCE_TYPE has no EFA interface, although EFA is wanted: check 'efa' of the spec and that the image's driver knows the type"
  ((found >= WANTED)) ||
    fail "$STATUS_HARDWARE" "$found of the $WANTED EFA interfaces of this $TRAINYARD_INSTANCE_TYPE are there: check 'efa' of the spec and that the image's driver knows the type"
  libfabric_offers ||
    fail "$STATUS_HARDWARE" "libfabric does not offer the $found EFA interfaces ('fi_info -p efa'): ask for another efa_version or choose another image"
  say "$found EFA interfaces, offered by libfabric"
}

# All that it says is read before any of it is looked at: a program whose reader leaves early fails.
libfabric_offers() {
  local said
  said=$(PATH=$ROOT/opt/amazon/efa/bin:$PATH fi_info -p efa 2>&1) && [[ $said == *"provider: efa"* ]]
}

check_setting
if ((WANTED == 0)); then
  say "this node is to have no EFA interface"
  finish
  exit 0
fi
bring_to_version
check_interfaces
finish
