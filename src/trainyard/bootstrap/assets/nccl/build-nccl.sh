#!/usr/bin/env bash
# Builds NCCL, nccl-tests and, where the EFA installer brought none, aws-ofi-nccl into SHARED/nccl/VERSION:
#
#   build-nccl.sh [--architectures "80 90 100 103"]
#
# Architectures are those of the GPUs in all queues unless named: 80 for P4d and P4de, 90 for P5, P5e and P5en, 100 for
# P6-B200, 103 for P6-B300. https://developer.nvidia.com/cuda-gpus
# Sources are the verified assets of the release. The version becomes current only where none is; use-nccl.sh switches.
#
# It is built and gathered in the node's own temporary folder, where its checksums are taken, copied to a hidden folder
# beside its place, and gets its name when it is whole. Who dies on the way leaves nothing that looks finished, and two
# builds wait for each other.
set -euo pipefail
HERE=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
# shellcheck source=src/trainyard/bootstrap/assets/common.sh
. "$HERE/../common.sh"
# shellcheck source=src/trainyard/bootstrap/assets/nccl/manifest.sh
. "$HERE/manifest.sh"

WAIT_S=${TRAINYARD_BUILD_WAIT_S:-3600}
export CUDA_HOME=${CUDA_HOME:-$ROOT/usr/local/cuda}
MPI_HOME=$ROOT/opt/amazon/openmpi
EFA_HOME=$ROOT/opt/amazon/efa
BUNDLED=$ROOT/opt/amazon/ofi-nccl
NVCC=$CUDA_HOME/bin/nvcc

read_arguments() {
  ARCHITECTURES=
  while (($#)); do
    case $1 in
    --architectures)
      (($# > 1)) || usage
      ARCHITECTURES=$2
      shift 2
      ;;
    *) usage ;;
    esac
  done
}

usage() {
  fail "$STATUS_SETTING" "usage: build-nccl.sh [--architectures \"80 90 100 103\"]"
}

need_tools() {
  local file
  for file in "$NVCC" "$MPI_HOME/lib" "$EFA_HOME/lib"; do
    [[ -e $file || -e ${file}64 ]] ||
      fail "$STATUS_HARDWARE" "$file is missing: build on a node of a GPU queue, with an image that ParallelCluster made"
  done
}

choose_architectures() {
  local one known
  [[ -n $ARCHITECTURES ]] || ARCHITECTURES=${TRAINYARD_CUDA_ARCHITECTURES:-}
  [[ -n $ARCHITECTURES ]] ||
    ARCHITECTURES=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | tr -d '.') || true
  ARCHITECTURES=$(tr -s ' ,\n' '\n' <<<"$ARCHITECTURES" | sed '/^$/d' | sort -nu | paste -s -d ' ')
  [[ -n $ARCHITECTURES ]] ||
    fail "$STATUS_HARDWARE" "this node shows no GPU: name what to build for, such as --architectures \"90\""
  known=$("$NVCC" --list-gpu-arch)
  for one in $ARCHITECTURES; do
    [[ $one =~ ^[0-9]{2,3}$ ]] || fail "$STATUS_SETTING" "$(printf '%.20q' "$one") is no architecture, such as 90"
    grep -qx "compute_$one" <<<"$known" ||
      fail "$STATUS_SETTING" "CUDA $(cuda_version) cannot build for sm_$one: use an image with a later CUDA, or name others with --architectures"
  done
}

cuda_version() {
  "$NVCC" --version | sed -n 's/.*release \([0-9.]*\).*/\1/p'
}

# https://github.com/NVIDIA/nccl#build
gencode() {
  local one
  for one in $ARCHITECTURES; do
    printf -- '-gencode=arch=compute_%s,code=sm_%s ' "$one" "$one"
  done
}

# Prints the version of an asset in the lock file, or nothing where it is not there.
locked_version() {
  python3 -I - "$TRAINYARD_RELEASE/assets.lock.json" "$1" <<'PYTHON'
import json, sys

try:
    assets = json.load(open(sys.argv[1]))["assets"]
except FileNotFoundError:
    assets = []
print(*sorted({one["version"] for one in assets if one["name"] == sys.argv[2]}))
PYTHON
}

# unpack NAME: the source of an asset becomes BUILD/NAME.
unpack() {
  local name=$1 archive
  # Only root writes to the node's assets.
  archive=$(as_root python3 "$TRAINYARD_RELEASE/trainyard-node.pyz" asset "$name") || exit $?
  mkdir "$BUILD/$name"
  attempt "unpack ${archive##*/}" tar --extract --no-same-owner --strip-components=1 --file "$archive" --directory "$BUILD/$name"
  sha256sum "$archive" >>"$BUILD/sources"
}

# run WHAT COMMAND…: shows what a compiler says while it says it, and keeps it for the last line.
run() {
  local what=$1 status=0 said
  shift
  say "$what"
  "$@" 2>&1 | tee "$BUILD/said" || status=$?
  ((status)) || return 0
  said=$(tail -n 50 "$BUILD/said")
  no_space "$said" "$what"
  fail 1 "cannot $what: $(last_line "$said" "$1 ended with status $status")"
}

# NCCL writes the final place into its files, and is copied there at the end.
build_nccl() {
  unpack nccl
  run "build NCCL $VERSION" make --directory "$BUILD/nccl" --jobs "$(nproc)" src.build \
    CUDA_HOME="$CUDA_HOME" NVCC_GENCODE="$(gencode)" PREFIX="$PLACE" BUILDDIR="$BUILD/nccl-out"
  run "gather NCCL" make --directory "$BUILD/nccl" src.install \
    CUDA_HOME="$CUDA_HOME" NVCC_GENCODE="$(gencode)" PREFIX="$WORK" BUILDDIR="$BUILD/nccl-out"
  need_file "$WORK/lib/libnccl.so.2"
}

# NCCL's own profiler plugin, where it can write for Prometheus: from 2.29.7 on. Older sources have it elsewhere or not.
# https://github.com/NVIDIA/nccl/blob/master/plugins/profiler/inspector/README.md
build_inspector() {
  local source=$BUILD/nccl/plugins/profiler/inspector
  [[ -e $source/inspector_prom.cc ]] || return 0
  run "build NCCL's inspector" make --directory "$source" CUDA_HOME="$CUDA_HOME" NCCL_HOME="$WORK"
  need_file "$source/libnccl-profiler-inspector.so"
  attempt "copy NCCL's inspector" cp "$source/libnccl-profiler-inspector.so" "$WORK/lib/"
}

# https://github.com/NVIDIA/nccl-tests#build
build_tests() {
  unpack nccl-tests
  run "build nccl-tests" make --directory "$BUILD/nccl-tests" --jobs "$(nproc)" MPI=1 MPI_HOME="$MPI_HOME" \
    CUDA_HOME="$CUDA_HOME" NCCL_HOME="$WORK" NVCC_GENCODE="$(gencode)" BUILDDIR="$BUILD/tests-out"
  need_file "$BUILD/tests-out/all_reduce_perf"
  mkdir -p "$WORK/bin"
  attempt "copy nccl-tests" cp "$BUILD"/tests-out/*_perf "$WORK/bin/"
}

# The EFA installer brings the plugin since 1.38, and another one is built only where the spec names it.
# https://github.com/awslabs/awsome-distributed-ai/issues/667
# It reads its tables from where it is installed, so it is configured for its final place.
# https://github.com/aws/aws-ofi-nccl/blob/master/INSTALL.md
build_plugin() {
  OFI=$(locked_version aws-ofi-nccl)
  if [[ -z $OFI ]]; then
    [[ -d $BUNDLED ]] ||
      fail "$STATUS_SETTING" "this image has no $BUNDLED and the release no aws-ofi-nccl: set software.nccl.ofi_version, or a later software.efa_version"
    OFI="bundled with EFA"
    return 0
  fi
  unpack aws-ofi-nccl
  run "configure aws-ofi-nccl $OFI" env --chdir="$BUILD/aws-ofi-nccl" ./configure --prefix="$PLACE" --enable-platform-aws \
    --disable-tests --with-libfabric="$EFA_HOME" --with-cuda="$CUDA_HOME" --with-mpi="$MPI_HOME"
  run "build aws-ofi-nccl" make --directory "$BUILD/aws-ofi-nccl" --jobs "$(nproc)"
  run "gather aws-ofi-nccl" make --directory "$BUILD/aws-ofi-nccl" install DESTDIR="$BUILD/plugin-out"
  attempt "copy aws-ofi-nccl" cp --recursive --no-dereference "$BUILD/plugin-out$PLACE/." "$WORK/"
  need_file "$WORK/lib/libnccl-net.so"
}

need_file() {
  [[ -e $1 ]] || fail 1 "the build ended well, but left no ${1##*/}: see the lines above"
}

write_manifest() {
  python3 -I - "$WORK" "$BUILD/sources" "$VERSION" "$(locked_version nccl-tests)" "$OFI" "$ARCHITECTURES" \
    "$(cuda_version)" "$("${CXX:-g++}" --version | head -n 1)" "$TRAINYARD_OS" "$TRAINYARD_ARCH" <<'PYTHON'
import hashlib, json, pathlib, sys, time

work, sources, nccl, tests, ofi, architectures, cuda, compiler, system, processor = sys.argv[1:]
root = pathlib.Path(work)
names = [file for place in ("lib", "bin") for file in sorted(root.joinpath(place).rglob("*"))]
links = {str(file.relative_to(root)): str(file.readlink()) for file in names if file.is_symlink()}
digests = {
    str(file.relative_to(root)): hashlib.sha256(file.read_bytes()).hexdigest()
    for file in names
    if file.is_file() and not file.is_symlink()
}
lines = [line.split(None, 1) for line in open(sources)]
manifest = {
    "schema": 1,
    "nccl": nccl,
    "nccl_tests": tests or None,
    "aws_ofi_nccl": ofi,
    "architectures": architectures.split(),
    "cuda": cuda,
    "compiler": compiler,
    "os": system,
    "arch": processor,
    "built": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    "sources": {pathlib.PurePath(name.strip()).name: digest for digest, name in lines},
    "files": digests,
    "links": links,
}
root.joinpath("manifest.json").write_text(json.dumps(manifest, indent=2) + "\n")
PYTHON
}

# Ends the script where the version is there already.
leave_if_built() {
  local built one
  [[ -e $PLACE || -L $PLACE ]] || return 0
  built=$(built_for "$PLACE/manifest.json") ||
    fail "$STATUS_DAMAGED" "$PLACE holds no manifest that can be read: remove the folder and build again"
  for one in $ARCHITECTURES; do
    [[ " $built " == *" $one "* ]] ||
      fail "$STATUS_SETTING" "$PLACE is built for sm_${built// / and sm_}, not for sm_$one: once no job uses it, remove it and build with --architectures \"$built $one\""
  done
  say "NCCL $VERSION is there, for sm_${built// / and sm_}"
  make_current
  finish
  exit 0
}

make_current() {
  [[ -L $MANIFESTS/current ]] || bash "$HERE/use-nccl.sh" "$VERSION" || exit $?
}

need TRAINYARD_NCCL_VERSION TRAINYARD_SHARED TRAINYARD_RELEASE
VERSION=$TRAINYARD_NCCL_VERSION
[[ $VERSION =~ ^[0-9][0-9A-Za-z.-]*$ ]] || fail "$STATUS_SETTING" "$(printf '%.40q' "$VERSION") is no version of NCCL"
HOME_OF_NCCL=$ROOT$TRAINYARD_SHARED/nccl
PLACE=$HOME_OF_NCCL/$VERSION
[[ -d $HOME_OF_NCCL ]] ||
  fail "$STATUS_HARDWARE" "$HOME_OF_NCCL is missing: is the shared file system mounted, and did the head node make it?"
[[ -w $HOME_OF_NCCL ]] || fail 1 "you may not write to $HOME_OF_NCCL: it belongs to $(stat --format=%U "$HOME_OF_NCCL")"
read_arguments "$@"
need_tools
choose_architectures

exec 9>>"$HOME_OF_NCCL/.$VERSION.lock"
flock --wait "$WAIT_S" 9 ||
  fail "$STATUS_LATER" "somebody else still builds NCCL $VERSION after $WAIT_S seconds: see 'squeue --name=build-nccl'"
leave_if_built
# Who holds the lock owns what a former build left.
rm -rf "$HOME_OF_NCCL/.$VERSION.new."*
NEW=$(mktemp -d "$HOME_OF_NCCL/.$VERSION.new.XXXXXX")
BUILD=$(mktemp -d "${TMPDIR:-/tmp}/build-nccl.XXXXXX")
WORK=$BUILD/gathered
mkdir "$WORK"
trap 'rm -rf "$NEW" "$BUILD"' EXIT
trap 'exit 143' TERM INT HUP

say "building NCCL $VERSION for sm_${ARCHITECTURES// / and sm_} with CUDA $(cuda_version)"
build_plugin
build_nccl
build_inspector
build_tests
attempt "write $PLACE" cp "$HERE/setup-nccl-env.sh" "$WORK/"
write_manifest
attempt "write $PLACE" cp --recursive --no-dereference "$WORK/." "$NEW/"
chmod -R a+rX,go-w "$NEW"
# On the disk before it has its name.
attempt "write $PLACE" sync --file-system "$NEW"
trust "$VERSION" "$WORK/manifest.json"
attempt "write $PLACE" mv -T "$NEW" "$PLACE"
note_change "built NCCL $VERSION in $PLACE"
make_current
