from tests.rules.found import paths, problems

RULE = "node-role-open-to-jobs"
POLICY = "iam: {policies: ['arn:aws:iam::123456789012:policy/mine']}"


def test_policies_of_nodes_are_those_of_every_pod():
    part = f"platform: eks\neks: {{node_policies: [ebs]}}\n{POLICY}"
    assert paths(RULE, part) == ["eks.node_policies", "iam.policies"]


def test_on_batch_they_are_those_of_jobs_of_a_single_node():
    (problem,) = problems(RULE, f"platform: batch\n{POLICY}")
    assert (problem.path, problem.severity) == (("iam", "policies"), "info")


def test_policies_of_jobs_and_nodes_that_jobs_are_kept_from_are_fine():
    assert paths(RULE, "platform: batch\nbatch: {job_policies: ['arn:aws:iam::123456789012:policy/mine']}") == []
    assert paths(RULE, "platform: eks") == []
    assert paths(RULE, POLICY) == []
