# shellcheck shell=bash
# The manifests of the shared NCCL that this cluster trusts. To be sourced after common.sh.
#
# Whoever is root anywhere where the shared file system is mounted, in a container or on a node of another cluster, may
# write to all of it. So the checksums of what was built lie where only root of this cluster may write: in the folder of
# Slurm, which the head node exports to all its nodes, as VERSION.json. There, `current` leads to the one that nodes take.
# https://docs.aws.amazon.com/parallelcluster/latest/ug/HeadNode-v3.html#yaml-HeadNode-SharedStorageType
MANIFESTS=$ROOT/opt/slurm/etc/trainyard/nccl

# as_root COMMAND…: runs it as root, for whom that takes no password.
as_root() {
  if ((EUID == 0)); then "$@"; else sudo --non-interactive "$@"; fi
}

# trust VERSION FILE: makes a file the manifest of a version.
trust() {
  [[ -d ${MANIFESTS%/trainyard/nccl} ]] ||
    fail "$STATUS_HARDWARE" "${MANIFESTS%/trainyard/nccl} is missing: run this on a node that ParallelCluster configured"
  attempt "write $MANIFESTS" as_root mkdir -p "$MANIFESTS"
  attempt "write $MANIFESTS/$1.json" as_root install --mode=0644 "$2" "$MANIFESTS/.$1.new.$$"
  attempt "write $MANIFESTS/$1.json" as_root mv -T "$MANIFESTS/.$1.new.$$" "$MANIFESTS/$1.json"
}

# built_for FILE: prints the architectures that a manifest names, such as 90 100.
built_for() {
  python3 -I -c 'import json, sys; print(*json.load(open(sys.argv[1]))["architectures"])' "$1" 2>/dev/null
}

# verified all|loaded MANIFEST FOLDER [COPY]: fails and says why where a file of a folder is not what a manifest says: each
# of them, or those that programs load. What it reads is what it copies, so nobody can change it in between; a name that
# leads elsewhere, or to what is no file, is not read.
verified() {
  python3 -I - "$@" <<'PYTHON'
import hashlib, json, os, pathlib, re, stat, sys

which, manifest, place, *copies = sys.argv[1:]
try:
    known = json.loads(pathlib.Path(manifest).read_text())
    files, links = dict(known["files"]), dict(known["links"])
except (OSError, ValueError, KeyError, TypeError) as error:
    sys.exit(f"{manifest} cannot be read: {error!r}")
for name, target in {**dict.fromkeys(files, ""), **links}.items():
    if not re.fullmatch(r"(lib|bin)(/[^/]+)+", name) or ".." in name.split("/") or "/" in target:
        sys.exit(f"{name} does not belong into {manifest}")
if "lib/libnccl.so.2" not in {**files, **links}:
    sys.exit("there is no lib/libnccl.so.2")


def new_place(name):
    new = pathlib.Path(copies[0], name)
    new.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
    return new


def digest_of(name):
    digest = hashlib.sha256()
    descriptor = os.open(os.path.join(place, name), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with open(descriptor, "rb") as file, open(new_place(name) if copies else os.devnull, "wb") as copy:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            sys.exit(f"{name} is no file")
        while block := file.read(1 << 20):
            digest.update(block)
            copy.write(block)
    return digest.hexdigest()


try:
    for name, digest in files.items():
        if which == "loaded" and name.endswith(".a"):
            continue
        if digest_of(name) != digest:
            sys.exit(f"{name} has changed")
        if copies:
            new_place(name).chmod(0o755 if name.startswith("bin/") else 0o644)
    for name, target in links.items():
        if os.readlink(os.path.join(place, name)) != target:
            sys.exit(f"{name} has changed")
        if copies:
            new_place(name).symlink_to(target)
except OSError as error:
    sys.exit(f"{error.filename or manifest}: {error.strerror}")
PYTHON
}
