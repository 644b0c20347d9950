"""What root of a node opens and runs, and what of that a user of the node could have written or put there."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path, PurePosixPath

from tests.bootstrap.whole.debian_node import DebianNode

PLACE = "/strace"
# A call of a process: open("/etc/x", …), openat(AT_FDCWD</root>, "x", …), execve("/bin/sh", …).
_CALL = re.compile(
    r'^(?:open|execve|openat\(AT_FDCWD<(?P<folder>[^>]*)>|openat\(\d+<(?P<at>[^>]*)>)[(,] ?"(?P<path>[^"]+)"'
)
# A file that its process has just made, under a name that nobody else had, is nobody else's.
_MADE = re.compile(r"O_CREAT\|O_EXCL")
# So is a folder: mkdir("/tmp/tmp.x", 0700) = 0.
_FOLDER = re.compile(r'^mkdir(?:at\(AT_FDCWD<[^>]*>)?[(,] ?"(?P<path>/[^"]+)", \S+ *= 0$')
# Runs as a user, who has no rights of others: what access(2) says is what the kernel would let that user do.
_REACHED = """\
import json, os, stat, sys

def reached(path, depth=0):
    folder, rest = "/", [part for part in path.split("/") if part]
    while rest:
        part = rest.pop(0)
        here = os.path.normpath(os.path.join(folder, part))
        try:
            found = os.lstat(here)
        except FileNotFoundError:
            found = None
        except PermissionError:
            return None
        if os.access(folder, os.W_OK):
            sticky = os.stat(folder).st_mode & stat.S_ISVTX
            if not sticky or found is None or found.st_uid == os.getuid():
                return folder
        if found is None:
            return None
        if stat.S_ISLNK(found.st_mode):
            if depth > 40:
                return None
            target = os.path.join(folder, os.readlink(here))
            return reached(os.path.join(target, *rest), depth + 1)
        folder = here
    return folder if os.path.isfile(folder) and os.access(folder, os.W_OK) else None

print(json.dumps({path: place for path in json.load(sys.stdin) if (place := reached(path))}))
"""


def can_trace() -> bool:
    """Return whether there is a strace, which tools/debian_root.sh installs beside the root."""
    return shutil.which("strace") is not None


def opened_by_root(node: DebianNode, *command: str) -> set[str]:
    """Run a command as root in the node, and return every name that it opened or tried to."""
    _copy_strace(node)
    shutil.rmtree(node.upper / "strace/logs", ignore_errors=True)
    (node.upper / "strace/logs").mkdir()
    trace = [
        f"{PLACE}/ld.so",
        "--library-path",
        PLACE,
        f"{PLACE}/strace",
        "-ff",
        "--seccomp-bpf",  # other calls do not stop
        "-y",
        "-s",
        "4096",
        "-o",
        f"{PLACE}/logs/of",
    ]
    ran = node.run(*trace, "-e", "trace=open,openat,execve,mkdir,mkdirat", *command)
    assert ran.returncode == 0, f"{ran.stdout}\n{ran.stderr}"
    calls = [line for log in (node.upper / "strace/logs").iterdir() for line in log.read_text().splitlines()]
    assert any("execve(" in call for call in calls)
    own = tuple(f"{folder['path']}/" for call in calls if (folder := _FOLDER.match(call)))
    elsewhere = ("/proc/", "/sys/", "/dev/", PLACE, *own)
    return {path for call in calls if (path := _path_of(call)) and not f"{path}/".startswith(elsewhere)}


def reached_by_users(node: DebianNode, paths: set[str]) -> dict[str, str]:
    """Return those of the paths that an unprivileged user can write, replace or make, with the place where."""
    user = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
    node.write(f"{PLACE}/paths.json", json.dumps(sorted(paths)))
    ran = node.run("bash", "-c", f'"$@" <{PLACE}/paths.json', "bash", *user, "python3", "-I", "-c", _REACHED)
    assert ran.returncode == 0, ran.stderr
    reached: dict[str, str] = json.loads(ran.stdout)
    return reached


def _path_of(call: str) -> str | None:
    found = _CALL.match(call)
    if found is None or _MADE.search(call):
        return None
    return str(PurePosixPath(found["folder"] or found["at"] or "/", found["path"]))


def _copy_strace(node: DebianNode) -> None:
    place = node.upper / PLACE.lstrip("/")
    if place.exists():
        return
    place.mkdir()
    program = shutil.which("strace")
    assert program is not None
    shutil.copy(program, place / "strace")
    listed = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    for library in re.findall(r"(/\S+) \(0x", listed):
        shutil.copy(library, place / ("ld.so" if Path(library).name.startswith("ld-") else Path(library).name))
