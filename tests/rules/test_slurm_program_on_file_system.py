import pytest

from tests.rules.found import paths

RULE = "slurm-program-on-file-system"

SPEC = """\
file_systems: [{{mount: /fsx, lustre: {{id: fs-0123456789abcdef0}}}}]
parallelcluster: {{slurm: {{settings: {{{setting}: "{value}"}}}}}}
"""


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("HealthCheckProgram", "/fsx/check.sh"),
        ("healthcheckprogram", "/fsx/tools/check.sh"),
        ("RebootProgram", "/fsx/reboot --now"),
        ("PluginDir", "/opt/slurm/lib/slurm:/fsx/plugins"),
        ("Include", "/fsx/slurm-more.conf"),
        ("UnkillableStepProgram", "/scratch/notify.sh"),
    ],
)
def test_what_root_runs_is_found(setting: str, value: str):
    assert paths(RULE, SPEC.format(setting=setting, value=value)) == [f"parallelcluster.slurm.settings.{setting}"]


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("HealthCheckProgram", "/opt/trainyard/current/health/slurm-health-check.sh"),
        ("HealthCheckProgram", "/fsx2/check.sh"),
        ("PluginDir", "/opt/slurm/lib/slurm"),
        ("TaskProlog", "/fsx/task.sh"),
        ("HealthCheckInterval", "300"),
    ],
)
def test_what_lies_elsewhere_or_runs_as_the_user_is_fine(setting: str, value: str):
    assert paths(RULE, SPEC.format(setting=setting, value=value)) == []


def test_settings_of_a_queue_are_looked_at_too():
    part = """\
file_systems: [{mount: /fsx, lustre: {id: fs-0123456789abcdef0}}]
queues: [{name: q, instance_type: m5.large, partition_settings: {Include: /fsx/more.conf}}]
"""
    assert paths(RULE, part) == ["queues[0].partition_settings.Include"]
