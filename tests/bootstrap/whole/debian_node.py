"""A clean Debian 12 that believes it is a node: the files that ParallelCluster leaves on one, nothing of trainyard.

What it writes goes into a layer of its own, which is what the tests look at. No image of Ubuntu or Amazon Linux is at
hand, so the root says of itself that it is Ubuntu 22.04. systemd does not run in it; a stub records what it is asked.
"""

from __future__ import annotations

import os
import subprocess
import textwrap
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[3] / ".make" / "debian-root"
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

# Everything below is gone with the process: mounts, and whatever still runs.
_INSIDE = """\
set -euo pipefail
mount -t overlay overlay -o "lowerdir=$1,upperdir=$2/upper,workdir=$2/work" "$2/merged"
mount -t proc proc "$2/merged/proc"
mount --bind "$2/dev" "$2/merged/dev"
for device in null zero full random urandom tty; do
  touch "$2/merged/dev/$device"
  mount --bind "/dev/$device" "$2/merged/dev/$device"
done
mount -t tmpfs -o size=64m,mode=755 tmpfs "$2/merged/run"
mkdir -p "$2/merged/fsx" "$2/fsx"
mount --bind "$2/fsx" "$2/merged/fsx"
shift 2
exec chroot "$MERGED" "$@"
"""
# Debian's AWS command line is older than the variable that names an endpoint.
_AWS = '#!/bin/sh\nexec /usr/bin/aws --endpoint-url "$TEST_ENDPOINT" "$@"\n'
_SYSTEMCTL = """\
#!/bin/sh
echo "$*" >>/var/stub-systemctl
for last; do :; done
case "$*" in
*is-enabled*) test -e "/var/stub-enabled/$last" ;;
*is-active*slurm*) exit 0 ;;
*is-active*) exit 1 ;;
enable*) mkdir -p /var/stub-enabled && touch "/var/stub-enabled/$last" ;;
esac
"""
_OS_RELEASE = 'ID=ubuntu\nVERSION_ID="22.04"\n'


@dataclass(frozen=True, slots=True)
class DebianNode:
    """One node. Each command runs in the root as the last one left it, except for what a reboot forgets."""

    place: Path
    endpoint: str
    """The emulated S3."""
    metadata: str
    """The emulated metadata service of the instance."""

    @property
    def upper(self) -> Path:
        """Everything that was written."""
        return self.place / "upper"

    def prepare(self, kind: str, queue: str = "") -> None:
        """Leave there what ParallelCluster leaves on its images and nodes."""
        for name in ("upper", "work", "merged", "dev"):
            (self.place / name).mkdir()
        for name, place in (("fd", "/proc/self/fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2")):
            (self.place / "dev" / name).symlink_to(place)
        self.write("/etc/os-release", _OS_RELEASE)
        self.write("/usr/lib/os-release", _OS_RELEASE)
        self.write("/usr/local/bin/aws", _AWS, 0o755)
        self.write("/usr/local/bin/systemctl", _SYSTEMCTL, 0o755)
        self.write(
            "/etc/parallelcluster/cfnconfig",
            textwrap.dedent(f"""\
                stack_name=llm
                cfn_region=us-east-2
                cfn_node_type={kind}
                cfn_scheduler_queue_name={queue}
                cfn_cluster_user=games
                """),
        )
        self.write("/usr/local/lib/slurm/spank_pyxis.so", "a plugin")
        self.write("/usr/bin/enroot", "#!/bin/sh\n", 0o755)
        self.write("/usr/sbin/iptables-restore", "#!/bin/sh\n", 0o755)
        self.write("/opt/slurm/etc/slurm.conf", "ClusterName=parallelcluster\n")
        for folder in ("prolog.d", "epilog.d"):
            self.write(f"/opt/slurm/etc/scripts/{folder}/90_pcluster_health_check_manager", "#!/bin/sh\n", 0o755)

    def write(self, path: str, text: str, mode: int = 0o644) -> None:
        """Write a file into the node's own layer."""
        file = self.upper / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(mode)

    def read(self, path: str) -> str:
        """Return what the node wrote to a file."""
        return (self.upper / path.lstrip("/")).read_text()

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a command as root in the node."""
        environment = {
            "PATH": PATH,
            "HOME": "/root",
            "LANG": "C.UTF-8",
            "TEST_ENDPOINT": self.endpoint,
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_EC2_METADATA_SERVICE_ENDPOINT": self.metadata,
            "TRAINYARD_FIRST_PAUSE_S": "0.1",
            "MERGED": str(self.place / "merged"),
        }
        inside = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "bash", "-c", _INSIDE, "node"]
        return subprocess.run(
            [*inside, str(ROOT), str(self.place), *command],
            env=environment, capture_output=True, text=True, timeout=300, check=False,
        )  # fmt: skip

    def start(self, folder: str) -> subprocess.CompletedProcess[str]:
        """Do what ParallelCluster does with the custom action: fetch the launcher, and run it with its argument."""
        script = 'aws s3 cp --only-show-errors "$1/launch.sh" /root/launch.sh && bash /root/launch.sh "$1"'
        return self.run("bash", "-c", script, "start", folder)

    def files(self) -> dict[str, tuple[float, bytes]]:
        """Return everything that was written, with its time, except for what the runner writes in every run."""
        told = (
            "etc/trainyard/node.env",
            "var/log",
            "var/lib/trainyard/bootstrap.json",
            "var/stub-systemctl",
            "root/",
            "run/",
            "tmp/",
            "var/cache",
        )
        return {
            name: (path.lstat().st_mtime, path.read_bytes() if path.is_file() else b"")
            for path in sorted(self.upper.rglob("*"))
            if not path.is_dir() or path.is_symlink()
            if not (name := path.relative_to(self.upper).as_posix()).startswith(told)
            if path.is_file() or path.is_symlink()
        }


def can_run() -> bool:
    """Return whether this machine can make a root of its own: that takes root."""
    return os.geteuid() == 0
