#!/usr/bin/env bash
# Keeps the packages of a node as its image has them: nothing upgrades by itself while jobs run, and the kernel, the
# NVIDIA driver with its fabric manager, and the Lustre client stay at the versions that were built for each other.
#
# What an upgrade does otherwise: a new kernel without the Lustre client's module, a fabric manager of another version
# than the driver's. https://github.com/aws/aws-parallelcluster/issues/2095
# https://github.com/aws/aws-parallelcluster/issues/3034
#
# On GPU nodes it begins with the question whether the GPUs are there at all.
set -euo pipefail
# shellcheck source=src/trainyard/bootstrap/assets/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

# The nvidia and libnvidia packages for containers are not the driver's, and a step of their own installs them.
HELD='^(linux-(image|headers|modules|aws)|kernel|(lib)?nvidia-|libnvsdm|nvlsm|cuda-drivers|lustre-client)'
FREE='container|^kernel-(livepatch|tools|libbpf)'

check_gpus() {
  local found
  [[ $TRAINYARD_ROLE == compute-gpu ]] || return 0
  found=$(nvidia-smi --list-gpus 2>/dev/null | grep --count '^GPU ') || true
  ((found > 0)) ||
    fail "$STATUS_HARDWARE" "nvidia-smi lists no GPU of this $TRAINYARD_INSTANCE_TYPE: choose a type and an image with GPU and NVIDIA driver, or another 'setup'"
  [[ -z $TRAINYARD_GPUS || $found == "$TRAINYARD_GPUS" ]] ||
    fail "$STATUS_HARDWARE" "nvidia-smi lists $found GPUs and a $TRAINYARD_INSTANCE_TYPE has $TRAINYARD_GPUS: have the instance replaced"
}

# What upgrades by itself. The services do the work that is under way to its end; the lock is waited for below.
stop_upgrades() {
  local unit
  for unit in "$@"; do
    ! systemctl --quiet is-enabled "$unit" >/dev/null 2>&1 || {
      attempt "disable $unit" systemctl disable "$unit"
      note_change "disabled $unit"
    }
    systemd_runs || continue
    ! systemctl --quiet is-active "$unit" >/dev/null 2>&1 || {
      attempt "stop $unit" systemctl stop "$unit"
      note_change "stopped $unit"
    }
  done
}

# What dpkg has left when it was cut off, it wants to be done first. dpkg(1), --configure --pending
finish_interrupted() {
  compgen -G "$ROOT/var/lib/dpkg/updates/[0-9]*" >/dev/null || return 0
  wait_for_package_lock
  attempt "finish what an interrupted dpkg left" dpkg --configure --pending
  note_change "finished what an interrupted dpkg left"
}

# held_of: of the names that it reads, those that have to stay.
held_of() {
  grep --extended-regexp "$HELD" | grep --extended-regexp --invert-match "$FREE" | sort --unique || true
}

hold_with_apt() {
  local names
  # The fields are dpkg's, not the shell's.
  # shellcheck disable=SC2016
  names=$(dpkg-query --show --showformat='${db:Status-Status} ${Package}\n' | sed -n 's/^installed //p' | held_of)
  mapfile -t names < <(comm -23 <(printf '%s\n' "$names") <(apt-mark showhold | sort) | sed '/^$/d')
  ((${#names[@]})) || return 0
  wait_for_package_lock
  attempt "hold packages" apt-mark hold "${names[@]}"
  note_change "holds ${names[*]}"
}

# hold_with_dnf: names them in the main section of dnf.conf, beside those that are named there.
# https://dnf.readthedocs.io/en/latest/conf_ref.html#excludepkgs-label
hold_with_dnf() {
  local conf=$ROOT/etc/dnf/dnf.conf names
  names=$(rpm --query --all --queryformat '%{NAME}\n' | held_of | paste --serial --delimiters=' ')
  [[ -n $names ]] || return 0
  [[ -r $conf ]] || put "$conf" 0644 <<<'[main]'
  awk -v names="$names" '
    { line[NR] = $0 }
    /^(excludepkgs|exclude)[ \t]*=/ && !at { at = NR }
    /^\[main\]/ { main = NR }
    END {
      had = at ? line[at] : "excludepkgs="
      known = had; sub(/^[a-z]+[ \t]*=/, "", known); gsub(/,/, " ", known)
      count = split(names, name, " ")
      for (i = 1; i <= count; i++) if (index(" " known " ", " " name[i] " ") == 0) had = had (had ~ /=[ \t]*$/ ? "" : " ") name[i]
      for (i = 1; i <= NR; i++) {
        print i == at ? had : line[i]
        if (i == main && !at) print had
      }
    }' "$conf" | put "$conf" 0644
}

supported_system "set up" "'setup: none'"
check_gpus
if debian_like; then
  stop_upgrades unattended-upgrades.service apt-daily.timer apt-daily-upgrade.timer
  put "$ROOT/etc/apt/apt.conf.d/99trainyard" 0644 <<'END'
// Packages of this node change when its image does. Whoever installs by hand waits for others, and not in vain.
APT::Periodic::Enable "0";
APT::Periodic::Unattended-Upgrade "0";
DPkg::Lock::Timeout "300";
END
  finish_interrupted
  hold_with_apt
else
  stop_upgrades dnf-automatic.timer dnf-automatic-install.timer
  hold_with_dnf
fi
finish
