#!/usr/bin/env bash
# What the steps share. A step begins with
#
#   set -euo pipefail
#   . "$(dirname "$0")/../common.sh"
#
# and ends with `finish`. Exit statuses mean what docs/bootstrap.md says, and the last line that a failing step writes to
# standard error is one sentence: what is wrong and what to do. Paths begin with $ROOT, which is empty on nodes.
set -Eeuo pipefail
umask 022
export LC_ALL=C DEBIAN_FRONTEND=noninteractive
PATH=$PATH:/usr/local/sbin:/usr/local/bin:/usr/sbin:/sbin

readonly STATUS_SETTING=64 STATUS_DAMAGED=65 STATUS_HARDWARE=66 STATUS_UNREACHABLE=69 STATUS_NO_SPACE=73 STATUS_LATER=75
ROOT=${TRAINYARD_SYSROOT:-}
NODE_ENV=$ROOT/etc/trainyard/node.env
CFNCONFIG=$ROOT/etc/parallelcluster/cfnconfig
# How long another program may hold the package lock. Tests wait less.
LOCK_WAIT_S=${TRAINYARD_LOCK_WAIT_S:-120}

CHANGED=0
CHANGES=0

# say TEXT: writes a line to the step's log.
say() {
  printf '%s\n' "$1"
}

# fail STATUS TEXT: ends the step.
fail() {
  trap - ERR
  printf '%s\n' "${2//$'\n'/ }" >&2
  exit "$1"
}

# note_change TEXT: for what no function here does: says it, and counts it for `changed` and `finish`.
note_change() {
  CHANGED=1
  CHANGES=$((CHANGES + 1))
  say "$1"
}

# changed: whether the last put, link, folder or install_packages changed anything.
changed() {
  ((CHANGED))
}

# changed_anything: whether anything was changed since the step began.
changed_anything() {
  ((CHANGES))
}

# finish: the last line of a step.
finish() {
  changed_anything || say "nothing to do: everything is as it should be"
}

# Whatever fails without a word of ours ends with a line that says where.
unexpected() {
  local status=$1 line=$2 command=$3
  trap - ERR
  case $status in
  # A function that ran in $( ) has said it already.
  "$STATUS_SETTING" | "$STATUS_DAMAGED" | "$STATUS_HARDWARE" | "$STATUS_UNREACHABLE" | "$STATUS_NO_SPACE" | "$STATUS_LATER")
    exit "$status"
    ;;
  esac
  ! disk_full || fail "$STATUS_NO_SPACE" "no space left below ${ROOT:-/}: make room, or give the node a larger root volume"
  fail 1 "${0##*/}, line $line: '$command' ended with status $status; see the lines above"
}
trap 'unexpected "$?" "$LINENO" "$BASH_COMMAND"' ERR

# disk_full: whether less than 1 MiB is free.
disk_full() {
  local free_kib
  free_kib=$(df --output=avail --block-size=1K "${ROOT:-/}" 2>/dev/null | tail -n 1) || return 1
  [[ $free_kib =~ ^\ *[0-9]+$ ]] && ((free_kib < 1024))
}

# need NAME…: fails where one of these settings is empty.
need() {
  local name
  for name in "$@"; do
    [[ -n ${!name:-} ]] || fail "$STATUS_SETTING" "$name is not set in $NODE_ENV: render and publish the release again"
  done
}

# attempt WHAT COMMAND…: runs a command whose failure shall read "cannot WHAT: its last line". A full disk becomes 73.
attempt() {
  local what=$1 said status=0
  shift
  said=$("$@" 2>&1) || status=$?
  [[ -z $said ]] || say "$said"
  ((status)) || return 0
  no_space "$said" "$what"
  fail 1 "cannot $what: $(last_line "$said" "$1 ended with status $status")"
}

# no_space TEXT WHAT: fails where what a program said means that the disk is full.
no_space() {
  case $1 in
  *"No space left on device"* | *"Disk quota exceeded"* | *"File too large"*)
    fail "$STATUS_NO_SPACE" "cannot $2: no space left; make room, or give the node a larger root volume"
    ;;
  esac
}

last_line() {
  local text
  text=$(grep -v '^[[:space:]]*$' <<<"$1" | tail -n 1) || true
  printf '%s' "${text:-$2}"
}

# asset NAME: prints the verified files of an asset, one a line.  file=$(asset NAME) || exit $?
asset() {
  python3 "$TRAINYARD_RELEASE/trainyard-node.pyz" asset "$1"
}

# put FILE MODE <content: gives a text file its content and mode, all at once, only where they differ. Ask `changed` then.
# Under a pipe it works as well:  make_text | put FILE MODE
shopt -s lastpipe
put() {
  local file=$1 mode=$2 content new
  content=$(cat && printf x)
  new=$(dirname "$file")/.$(basename "$file").trainyard-new
  CHANGED=0
  if [[ -f $file && ! -L $file ]] && printf '%s' "${content%x}" | cmp --silent - "$file"; then
    [[ $(stat --format=%a "$file") == "${mode#0}" ]] || {
      attempt "change the mode of $file" chmod "$mode" "$file"
      note_change "gave $file the mode $mode"
    }
    return 0
  fi
  folder "$(dirname "$file")"
  attempt "write $file" write_new "$new" "$mode" "${content%x}"
  attempt "write $file" mv -T "$new" "$file"
  note_change "wrote $file"
}

# On the disk before it has its name: a node that dies in between has the former file or the new one.
write_new() {
  rm -f "$1"
  if (umask 077 && printf '%s' "$3" >"$1") && chmod "$2" "$1" && sync "$1"; then
    return 0
  fi
  rm -f "$1"
  return 1
}

# folder DIR [MODE]: makes a folder, 0755 where nothing else is said, and gives it the mode where one is named.
folder() {
  CHANGED=0
  if [[ ! -d $1 ]]; then
    attempt "make the folder $1" mkdir -p "$1"
    note_change "made $1"
  fi
  if [[ -n ${2:-} && $(stat --format=%a "$1") != "${2#0}" ]]; then
    attempt "change the mode of $1" chmod "$2" "$1"
    note_change "gave $1 the mode $2"
  fi
}

# link TARGET FILE: makes FILE a symbolic link, all at once.
link() {
  local new
  new=$(dirname "$2")/.$(basename "$2").trainyard-new
  CHANGED=0
  [[ $(readlink "$2" 2>/dev/null) != "$1" ]] || return 0
  folder "$(dirname "$2")"
  attempt "write $2" ln -sfn "$1" "$new"
  attempt "write $2" mv -T "$new" "$2"
  note_change "linked $2 to $1"
}

# cfn NAME: prints a value of ParallelCluster's own settings, nothing where it is not there. It writes them in
# cookbooks/aws-parallelcluster-environment of https://github.com/aws/aws-parallelcluster-cookbook
cfn() {
  sed -n "/^$1=/{s///;s/[\"']//g;p;q}" "$CFNCONFIG" 2>/dev/null || true
}

# cluster_user: prints the cluster's user, such as ubuntu.
cluster_user() {
  local user
  user=$(cfn cfn_cluster_user)
  [[ $user =~ ^[a-z_][a-z0-9_-]*$ ]] ||
    fail "$STATUS_SETTING" "$CFNCONFIG does not name the user of the cluster: this is no node that ParallelCluster configured"
  printf '%s' "$user"
}

# instance_store: prints where the instance store is mounted, which is large and quick; nothing where it is not.
# https://docs.aws.amazon.com/parallelcluster/latest/ug/Scheduling-v3.html (EphemeralVolume)
instance_store() {
  local place
  place=$(cfn cfn_ephemeral_dir)
  place=/${place#/}
  place=${place%/}
  [[ -n $place ]] || return 0
  ! grep --quiet " $place " "$ROOT/proc/mounts" 2>/dev/null || printf '%s' "$place"
}

# supported_system WHAT INSTEAD: fails with 64 where trainyard does not do this to the system of the node.
supported_system() {
  case $TRAINYARD_OS in
  ubuntu2204 | ubuntu2404 | alinux2023) ;;
  *) fail "$STATUS_SETTING" "trainyard does not $1 $TRAINYARD_OS: choose ubuntu2204, ubuntu2404 or alinux2023, or $2" ;;
  esac
}

# debian_like: whether packages are Debian's, not RPM's.
debian_like() {
  case $TRAINYARD_OS in
  ubuntu* | debian*) return 0 ;;
  esac
  return 1
}

# install_packages FILE…: installs those packages that are not installed in just this version. Waits for the lock.
install_packages() {
  local file missing=()
  for file in "$@"; do
    installed "$file" || missing+=("$file")
  done
  CHANGED=0
  ((${#missing[@]})) || return 0
  wait_for_package_lock
  if debian_like; then
    install_with dpkg --install "${missing[@]}"
  else
    install_with rpm --upgrade --oldpackage "${missing[@]}"
  fi
  note_change "installed ${missing[*]##*/}"
}

# installed FILE: whether the package in a file is installed in just this version.
installed() {
  local name version
  if debian_like; then
    name=$(dpkg-deb --field "$1" Package) || no_package "$1"
    version=$(dpkg-deb --field "$1" Version) || no_package "$1"
    [[ $(dpkg-query --show --showformat='${Status} ${Version}' "$name" 2>/dev/null) == "install ok installed $version" ]]
  else
    name=$(rpm --query --package --queryformat '%{NAME}-%{VERSION}-%{RELEASE}.%{ARCH}' "$1") || no_package "$1"
    rpm --query --quiet "$name" 2>/dev/null
  fi
}

no_package() {
  fail "$STATUS_DAMAGED" "$1 is no package that can be read: lock and mirror the assets again"
}

install_with() {
  local said status=0
  said=$("$@" 2>&1) || status=$?
  [[ -z $said ]] || say "$said"
  ((status)) || return 0
  case $said in
  # What dpkg and rpm say: lib/dpkg/file.c of https://git.dpkg.org/cgit/dpkg/dpkg.git, lib/rpmlock.c of
  # https://github.com/rpm-software-management/rpm
  *"was locked by another process"* | *"transaction lock"*) package_lock_held ;;
  esac
  no_space "$said" "install packages"
  fail 1 "$1 cannot install the packages: $(last_line "$said" "it ended with status $status")"
}

package_lock_held() {
  fail "$STATUS_LATER" "another program still installs packages after $LOCK_WAIT_S seconds: see 'ps ax'; this is tried again"
}

# wait_for_package_lock: returns once nobody installs packages, or fails with 75.
wait_for_package_lock() {
  local waited_s=0
  while lock_taken; do
    ((waited_s < LOCK_WAIT_S)) || package_lock_held
    ((waited_s)) || say "waiting for the package lock"
    sleep 2
    waited_s=$((waited_s + 2))
  done
}

# Both dpkg and rpm lock with fcntl, which flock(1) does not see.
lock_taken() {
  python3 -I - "$ROOT/var/lib/dpkg/lock-frontend" "$ROOT/var/lib/dpkg/lock" "$ROOT/var/lib/rpm/.rpm.lock" <<'PYTHON'
import fcntl, sys

for name in sys.argv[1:]:
    try:
        with open(name, "r+b") as file:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        continue
    except BlockingIOError:
        sys.exit(0)
sys.exit(1)
PYTHON
}

# program_from ARCHIVE NAME: gives /usr/local/bin the program NAME out of a .tar.gz that has it in its one folder, as the
# archives of Prometheus' projects do, only where it differs. Ask `changed` then.
program_from() {
  local program=$ROOT/usr/local/bin/$2 new=$ROOT/usr/local/bin/.$2.trainyard-new
  CHANGED=0
  if [[ -x $program ]] && program_in "$1" "$2" 2>/dev/null | cmp --silent - "$program"; then
    return 0
  fi
  folder "${program%/*}"
  attempt "unpack $2 from ${1##*/}" write_program "$1" "$2" "$new"
  attempt "write $program" mv -T "$new" "$program"
  note_change "wrote $program of ${1##*/}"
}

program_in() {
  tar --extract --to-stdout --gzip --wildcards --file "$1" "*/$2"
}

write_program() {
  if program_in "$1" "$2" >"$3" && [[ -s $3 ]] && chmod 0755 "$3" && sync "$3"; then
    return 0
  fi
  rm -f "$3"
  return 1
}

# reload NAME: as `service`, but a unit that runs already reads its files again without an end.
reload() {
  enable_unit "$1"
  systemd_runs || return 0
  attempt "reload $1" systemctl reload-or-restart "$1"
  note_change "reloaded $1"
}

# answers NAME URL: waits until a server that was just started answers, for two minutes at most.
answers() {
  systemd_runs || return 0
  attempt "reach $1 at $2: see journalctl --unit=$1" curl --silent --show-error --fail --output /dev/null --noproxy '*' \
    --max-time 10 --retry 60 --retry-connrefused --retry-delay 2 --retry-max-time 120 "$2"
}

# systemd_runs: sd_booted(3), https://www.freedesktop.org/software/systemd/man/latest/sd_booted.html
systemd_runs() {
  [[ -d $ROOT/run/systemd/system ]]
}

# service NAME…: enables units, and starts them where systemd runs. Those that run already go on.
service() {
  local name
  for name in "$@"; do
    enable_unit "$name"
    systemd_runs || continue
    systemctl --quiet is-active "$name" || {
      attempt "start $name" systemctl start "$name"
      note_change "started $name"
    }
  done
}

# restart NAME…: as `service`, but those that run already start again. For units whose files were changed.
restart() {
  local name
  for name in "$@"; do
    enable_unit "$name"
    systemd_runs || continue
    attempt "restart $name" systemctl restart "$name"
    note_change "restarted $name"
  done
}

# own_service UNIT DROP_IN: makes a unit of the release run trainyard-node, with what a file beside it adds, where one is
# named. The unit names the release too: another one brings another trainyard-node under the same name, so it starts again.
own_service() {
  local units place=$ROOT/etc/systemd/system/$1 fresh=0
  units=$(dirname "${BASH_SOURCE[0]}")/units
  put "$place" 0644 <"$units/$1"
  ! changed || fresh=1
  if [[ -n $2 ]]; then
    put "$place.d/role.conf" 0644 <"$units/$2"
    ! changed || fresh=1
  fi
  printf '[Unit]\nX-Trainyard-Release=%s\n' "${TRAINYARD_RELEASE##*/}" | put "$place.d/release.conf" 0644
  ! changed || fresh=1
  if ((fresh)); then restart "$1"; else service "$1"; fi
}

enable_unit() {
  ! systemd_runs || attempt "read the units again" systemctl daemon-reload
  systemctl --quiet is-enabled "$1" >/dev/null 2>&1 || {
    attempt "enable $1" systemctl enable "$1"
    note_change "enabled $1"
  }
}

[[ -r $NODE_ENV ]] ||
  fail "$STATUS_SETTING" "$NODE_ENV cannot be read: run this step through trainyard-node.pyz bootstrap, which writes it"
# shellcheck source=/dev/null
. "$NODE_ENV"
