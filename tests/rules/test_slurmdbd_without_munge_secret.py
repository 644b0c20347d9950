from tests.rules.found import paths

RULE = "slurmdbd-without-munge-secret"
SECRET = "arn:aws:secretsmanager:us-east-2:123456789012:secret:name-AbCdEf"
DATABASE = f'database: {{host: db.example.com, user: admin, password_secret: "{SECRET}"}}'


def part(slurm: str) -> str:
    return f"parallelcluster: {{slurm: {{{slurm}}}}}"


def test_a_slurmdbd_elsewhere_needs_its_munge_key():
    assert paths(RULE, part("accounting: {slurmdbd: {host: slurmdbd.example.com}}")) == [
        "parallelcluster.slurm.accounting.slurmdbd"
    ]


def test_with_the_key_it_is_fine():
    assert paths(RULE, part(f'accounting: {{slurmdbd: {{host: 10.0.0.7}}}}, munge_secret: "{SECRET}"')) == []


def test_a_database_of_the_cluster_s_own_needs_none():
    assert paths(RULE, part(f"accounting: {{{DATABASE}}}")) == []


def test_without_accounting_there_is_nothing_to_talk_to():
    assert paths(RULE, part("kill_wait_s: 60")) == []
