from tests.rules.found import paths, problems

RULE = "lustre-throughput-does-not-exist"

LUSTRE = "file_systems: [{{mount: /fsx, lustre: {{size_gib: 4800, {more}}}}}]"


def test_a_throughput_that_is_not_offered_is_found_with_those_that_are():
    (problem,) = problems(RULE, LUSTRE.format(more="throughput_mb_s_per_tib: 200"))
    assert problem.remedy == "choose 125, 250, 500, 1000 MB/s for each TiB"


def test_a_missing_throughput_is_found_because_persistent_2_has_no_default():
    assert paths(RULE, "file_systems: [{mount: /fsx, lustre: {size_gib: 4800}}]") == [
        "file_systems[0].lustre.throughput_mb_s_per_tib"
    ]


def test_the_throughputs_of_the_older_deployment_type_are_others():
    assert paths(RULE, LUSTRE.format(more="throughput_mb_s_per_tib: 200, deployment: PERSISTENT_1")) == []


def test_a_scratch_file_system_takes_no_throughput():
    (problem,) = problems(RULE, LUSTRE.format(more="throughput_mb_s_per_tib: 200, deployment: SCRATCH_2"))
    assert problem.remedy == "remove the key"
    assert paths(RULE, "file_systems: [{mount: /fsx, lustre: {size_gib: 1200, deployment: SCRATCH_2}}]") == []
