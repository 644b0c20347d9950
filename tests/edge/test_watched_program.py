"""Programs end with this process and in time, and their lines are told as they come."""

from __future__ import annotations

import ast
import os
import resource
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.waiting import HANGS_S, wait_until
from trainyard.edge import watched_program
from trainyard.edge.watched_program import LastLines, bounded_lines, run_watched, start_program
from trainyard.errors import TrainyardError

PRINTS_BOTH = "import sys; print('out', flush=True); print('err', file=sys.stderr)"


def run(script: str, **how: object):
    return run_watched([sys.executable, "-c", script], os.environ, **{"timeout_s": HANGS_S, **how})  # type: ignore[arg-type]


def test_output_and_what_was_said_are_kept_apart():
    ended = run(PRINTS_BOTH)
    assert (ended.status, ended.output, ended.lines) == (0, "out\n", ("err",))


def test_every_line_is_told_where_somebody_listens():
    told: list[str] = []
    ended = run(PRINTS_BOTH, say=told.append)
    assert sorted(told) == ["err", "out"]
    assert ended.output == ""


def test_that_it_says_nothing_for_long_is_told(tmp_path):
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    told: list[str] = []

    def say(line: str) -> None:
        told.append(line)
        if len(told) == 1:
            gate.write_text("go on")

    ended = run(f"open({str(gate)!r}).read(); print('done')", say=say, quiet_s=0.05)
    assert told[0] == "has said nothing for 0 minutes, and is still running"
    assert (told[-1], ended.lines) == ("done", ("done",))


def test_text_is_standard_input_and_a_program_that_ignores_it_is_no_error():
    assert run("import sys; print(len(sys.stdin.read()))", content=b"x" * 300_000).output == "300000\n"
    assert run("print('no')", content=b"x" * 300_000).output == "no\n"


def test_bytes_that_are_no_text_are_shown_as_such():
    assert run("import sys; sys.stdout.buffer.write(b'a\\xffb')").output == "a\N{REPLACEMENT CHARACTER}b"


def test_what_takes_too_long_is_ended_with_all_that_it_has_started(tmp_path):
    script = f"""
        import subprocess, sys, time
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        open({str(tmp_path / "child")!r}, "w").write(str(child.pid))
        time.sleep(600)
    """
    ended = run(textwrap.dedent(script), timeout_s=10)
    assert ended.timed_out
    assert ended.status == -signal.SIGTERM
    child = int((tmp_path / "child").read_text())
    wait_until(lambda: not is_alive(child), lambda: "what the program had started still runs")


def test_output_without_end_is_ended_in_time_and_does_not_pile_up():
    before_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    told: list[int] = []
    ended = run_watched(["yes", "x" * 10_000], os.environ, say=lambda line: told.append(len(line)), timeout_s=2)
    assert ended.timed_out
    assert len(ended.lines) <= 2000
    assert set(told) == {10_000}
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kib < 100_000


# Each asks a program that prints without end, and then this process says how much memory it has had, in KiB.
ASKING = """
    import os, resource, sys
    from pathlib import Path
    from types import SimpleNamespace
    from trainyard.edge.docker import Engine
    from trainyard.edge.pcluster import schema_complaints
    from trainyard.edge.session_manager import installed_plugin
    from trainyard.edge.slurm_local import LocalSlurm
    from trainyard.edge.ssh import SshSlurm
    from trainyard.errors import TrainyardError

    program = Path(sys.argv[1])
    asked = [
        Engine("docker", str(program / "docker")).refuse_without_daemon,
        lambda: LocalSlurm().run([str(program / "sbatch")], b"x" * 1_000_000),
        lambda: SshSlurm("head").run(["sbatch"]),
        installed_plugin,
        lambda: schema_complaints(SimpleNamespace(python=program / "python", version="3.15.1", folder=program), []),
    ]
    for ask in asked:
        try:
            ask()
        except TrainyardError as error:
            print(error.problem)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def test_no_program_that_prints_without_end_fills_memory(tmp_path: Path):
    for name in ("docker", "sbatch", "ssh", "session-manager-plugin", "python"):
        (tmp_path / name).write_text("#!/bin/sh\nexec yes\n")
        (tmp_path / name).chmod(0o755)
    command = [sys.executable, "-c", textwrap.dedent(ASKING), str(tmp_path)]
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    *problems, most_kib = done.stdout.splitlines()
    assert [problem.partition(" prints ")[2] for problem in problems] == ["more than 256 MiB, and was ended"] * 5
    assert int(most_kib) < 2_000_000  # some copies of 256 MiB; without a bound, `yes` would take all there is


def test_a_program_that_prints_nothing_more_and_runs_on_is_ended_in_time():
    ended = run("import os, time; os.close(1); os.close(2); time.sleep(600)", timeout_s=1)
    assert (ended.timed_out, ended.status) == (True, -signal.SIGTERM)


# Each has a bound of its own, or leaves what is printed to the terminal or to a file.
STARTS_PROGRAMS = {"watched_program.py", "pcluster_process.py", "foreground.py"}


def test_no_other_code_reads_what_programs_print():
    source = Path(watched_program.__file__).parents[1]
    own = {source / "edge" / name for name in STARTS_PROGRAMS} | {source / "lab" / "lab_monitoring.py"}
    # Programs of ours: a rehearsal's own server, and what runs in containers.
    apart = {"rehearsal", "programs"}
    for file in source.rglob("*.py"):
        if file not in own and not apart & set(file.parts):
            calls = [node.func for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Call)]
            named = {ast.unparse(call) for call in calls}
            reading = {"subprocess.run", "subprocess.Popen", "subprocess.check_output", "os.popen", "os.system"}
            assert not named & reading, file


def is_alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_program_that_is_not_there_is_an_error_with_its_name(tmp_path):
    with pytest.raises(TrainyardError, match="cannot be started"):
        run_watched([str(tmp_path / "missing")], os.environ, timeout_s=5)


def test_leaving_early_ends_the_program():
    with start_program([sys.executable, "-c", "import time; time.sleep(600)"], os.environ) as process:
        assert process.poll() is None
    assert process.poll() == -signal.SIGTERM


@pytest.mark.parametrize(("number", "told"), [(signal.SIGTERM, "SIGTERM"), (signal.SIGINT, "SIGINT")])
def test_a_signal_that_ends_this_process_is_passed_on(tmp_path, number, told):
    inner = f"""
        import signal, sys, time
        def note(number, _):
            open({str(tmp_path / "told")!r}, "w").write(signal.Signals(number).name)
            sys.exit(0)
        for one in (signal.SIGTERM, signal.SIGINT):
            signal.signal(one, note)
        print("ready", flush=True)
        time.sleep(600)
    """
    outer = f"""
        import os, signal, sys
        from trainyard.edge.watched_program import run_watched
        signal.signal(signal.SIGINT, signal.default_int_handler)  # what runs in the background may inherit none
        say = lambda line: print(line, flush=True)
        run_watched([sys.executable, "-c", {textwrap.dedent(inner)!r}], os.environ, timeout_s=300, say=say)
    """
    command = [sys.executable, "-c", textwrap.dedent(outer)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(number)
        process.wait(300)
    assert (tmp_path / "told").read_text() == told


def test_a_line_without_an_end_comes_in_parts():
    endless = "import sys\nwhile True: sys.stdout.write('x' * 65536)"
    with start_program([sys.executable, "-c", endless], os.environ) as process:
        assert process.stdout is not None
        lines = bounded_lines(process.stdout)
        assert {len(next(lines)) for _ in range(10)} == {64 * 1024}


def test_what_is_said_meanwhile_holds_up_nobody_and_only_its_end_is_kept():
    says = "import sys\nfor at in range(100_000): print(at, 'x' * 100, file=sys.stderr)\nprint('out')"
    with start_program([sys.executable, "-c", says], os.environ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        said = LastLines(process.stderr)
        assert list(bounded_lines(process.stdout)) == [b"out\n"]
        assert (len(said.text()), said.text()[-1][:6]) == (2000, "99999 ")


@pytest.mark.exhaustive
def test_an_answer_that_no_answer_is_as_long_as_is_an_error():
    with pytest.raises(TrainyardError, match="prints more than 256 MiB"):
        run("import sys\nwhile True: sys.stdout.write('x' * 2**20)", timeout_s=300)
