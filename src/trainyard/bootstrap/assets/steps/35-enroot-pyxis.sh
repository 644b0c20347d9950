#!/usr/bin/env bash
# Makes `srun --container-image` work: folders and settings of Enroot on every node, and Pyxis in Slurm's
# plugstack.conf, which all nodes share and the head node alone writes.
#
# ParallelCluster's images hold both, disabled since 3.11.1:
# https://github.com/aws/aws-parallelcluster-cookbook/pull/2820. Once, every node edited a file in plugstack.conf.d, and
# Slurm read the temporary files of the others: https://github.com/aws/aws-parallelcluster/issues/6459. So there is one
# writer here, one line in one file that is replaced all at once, and nothing in plugstack.conf.d.
set -euo pipefail
# shellcheck source=src/trainyard/bootstrap/assets/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

PLUGIN=/usr/local/lib/slurm/spank_pyxis.so
# `required` although it stops every job where the plugin is missing: with `optional`, Slurm goes on without it, and a
# job could run outside of its container. This step ends a node without the plugin before it takes jobs.
LINE="required $PLUGIN runtime_path=/run/pyxis"
PLUGSTACK=$ROOT/opt/slurm/etc/plugstack.conf
TOLD=$ROOT/var/lib/trainyard/pyxis-told-slurm

check_image() {
  local file
  for file in "$PLUGIN" /usr/bin/enroot; do
    [[ -e $ROOT$file ]] ||
      fail "$STATUS_HARDWARE" "$file is missing: use an image that ParallelCluster 3.11.1 or newer made with NVIDIA software, or leave containers out"
  done
}

# Every user makes a folder of his own in them, so they are like /tmp: users could not share what the first of them
# made. https://github.com/aws/aws-parallelcluster-cookbook/pull/2893
make_folders() {
  put "$ROOT/etc/tmpfiles.d/trainyard-enroot.conf" 0644 <<'END'
d /run/enroot 1777 root root -
d /run/enroot/user-0 0700 root root -
d /run/pyxis 0755 root root -
END
  folder "$ROOT/run/enroot" 1777
  folder "$ROOT/run/pyxis" 0755
  folder "$ROOT$1" 1777
  for_root "$ROOT/run/enroot/user-0"
  for_root "$ROOT$1/user-0"
}

# for_root FOLDER: makes root's own folder there, before a user can: containers of root would run what lies in it. Nobody
# can take it away again, because what is in a folder like /tmp goes with its owner alone.
for_root() {
  if [[ -L $1 || (-e $1 && $(stat --format=%u "$1") != "$EUID") ]]; then
    attempt "remove $1, which is not root's" rm -rf "$1"
    note_change "removed $1, which was not root's"
  fi
  # Not with -p, which takes what somebody has put there meanwhile.
  [[ -d $1 ]] || attempt "make $1" mkdir --mode=0700 "$1"
  folder "$1" 0700
}

# Credentials for registries are left where Enroot looks for them by itself, in the home of their user.
# https://github.com/NVIDIA/enroot/blob/master/doc/configuration.md
configure_enroot() {
  put "$ROOT/etc/enroot/enroot.conf" 0644 <<END
ENROOT_RUNTIME_PATH /run/enroot/user-\$(id -u)
ENROOT_DATA_PATH $1/user-\$(id -u)/data
ENROOT_CACHE_PATH $1/user-\$(id -u)/cache
ENROOT_TEMP_PATH $1
ENROOT_SQUASH_OPTIONS -noI -noD -noF -noX -no-duplicates
ENROOT_ROOTFS_WRITABLE yes
ENROOT_MOUNT_HOME no
ENROOT_RESTRICT_DEV no
END
}

# MPI in a container meets its neighbours through Slurm's PMIx only where Enroot mounts what belongs to it, by a hook
# that comes with Enroot and is not enabled. https://github.com/NVIDIA/pyxis/wiki/Setup
enable_pmi_hook() {
  local hook=50-slurm-pmi.sh
  if [[ -e $ROOT/usr/share/enroot/hooks.d/$hook ]]; then
    put "$ROOT/etc/enroot/hooks.d/$hook" 0755 <"$ROOT/usr/share/enroot/hooks.d/$hook"
  else
    say "this Enroot has no hook for PMIx: MPI in containers needs mpirun"
  fi
}

# Ubuntu lets no program make user namespaces since 23.10, unless AppArmor has a profile for it. Enroot brings one in
# newer versions; for the others the restriction goes, as in ParallelCluster's own test.
# https://github.com/NVIDIA/enroot/issues/201 https://github.com/aws/aws-parallelcluster/pull/6755
allow_user_namespaces() {
  local restriction=$ROOT/proc/sys/kernel/apparmor_restrict_unprivileged_userns
  [[ -e $restriction && ! -e $ROOT/etc/apparmor.d/enroot ]] || return 0
  put "$ROOT/etc/sysctl.d/60-trainyard-enroot.conf" 0644 <<<'kernel.apparmor_restrict_unprivileged_userns = 0'
  [[ $(<"$restriction") != 0 ]] || return 0
  attempt "let Enroot make user namespaces" sysctl --quiet --write kernel.apparmor_restrict_unprivileged_userns=0
  note_change "lets users make user namespaces"
}

# Lines of others stay, and so does a Pyxis that somebody has enabled already.
enable_pyxis() {
  local now=""
  [[ ! -e $PLUGSTACK ]] || now=$(<"$PLUGSTACK")
  ! pyxis_enabled || {
    say "Pyxis is enabled in Slurm already"
    return 0
  }
  [[ -d ${PLUGSTACK%/*} ]] ||
    fail "$STATUS_HARDWARE" "${PLUGSTACK%/*} is missing: this is no head node of ParallelCluster with Slurm"
  printf '%s\n' ${now:+"$now"} "$LINE" | put "$PLUGSTACK" 0644
}

pyxis_enabled() {
  grep --quiet --no-messages '^[[:space:]]*[^#[:space:]].*spank_pyxis\.so' "$PLUGSTACK" "${PLUGSTACK}.d"/*
}

# srun and slurmstepd read the file at every start. A slurmd keeps what it found at its own, and those that were quicker
# than this head node found nothing. Since Slurm 23.11, a reconfiguration starts them anew and leaves jobs alone.
# https://slurm.schedmd.com/spank.html https://slurm.schedmd.com/scontrol.html#OPT_reconfigure
tell_slurm() {
  local mark
  mark=$(sha256sum <"$PLUGSTACK" 2>/dev/null | cut --delimiter=' ' --fields=1)
  [[ $(cat "$TOLD" 2>/dev/null) != "$mark" ]] || return 0
  if systemd_runs && systemctl --quiet is-active slurmctld.service >/dev/null; then
    PATH=$PATH:/opt/slurm/bin attempt "tell Slurm of Pyxis" scontrol reconfigure
    note_change "told Slurm of Pyxis"
  fi
  put "$TOLD" 0644 <<<"$mark"
}

check_image
# Where containers are unpacked: the instance store, or the root volume.
data=$(instance_store)
data=${data:-/var}/enroot
make_folders "$data"
configure_enroot "$data"
enable_pmi_hook
allow_user_namespaces
if [[ $TRAINYARD_ROLE == head ]]; then
  enable_pyxis
  tell_slurm
fi
finish
