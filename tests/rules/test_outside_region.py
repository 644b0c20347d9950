from tests.rules.found import paths

RULE = "outside-region"


def test_a_zone_of_another_region_is_found():
    assert paths(RULE, "region: us-east-2\nnetwork: {availability_zone: us-west-2a}") == ["network.availability_zone"]


def test_the_zones_of_queues_are_checked_too():
    part = (
        "region: us-east-2\nqueues: [{name: q, instance_type: m5.large, availability_zone: [us-east-2a, us-east-1a]}]"
    )
    assert paths(RULE, part) == ["queues[0].availability_zone"]


def test_a_region_whose_name_only_begins_alike_is_another_region():
    assert paths(RULE, "region: ap-south-1\nnetwork: {availability_zone: ap-southeast-1a}") == [
        "network.availability_zone"
    ]


def test_a_local_zone_belongs_to_its_region():
    assert paths(RULE, "region: us-west-2\nnetwork: {availability_zone: us-west-2-lax-1a}") == []


def test_a_reservation_group_of_another_region_is_found():
    arn = "arn:aws:resource-groups:sa-east-1:123456789012:group/g"
    queue = f"{{name: q, instance_type: p5.48xlarge, capacity: {{reservation_group: '{arn}'}}}}"
    part = f"region: us-east-2\nqueues: [{queue}]"
    assert paths(RULE, part) == ["queues[0].capacity.reservation_group"]


def test_the_second_zone_is_checked_too():
    part = "region: us-east-2\nnetwork: {availability_zone: us-east-2a, secondary_availability_zone: us-east-1b}"
    assert paths(RULE, part) == ["network.secondary_availability_zone"]


SECRET = "arn:aws:secretsmanager:{}:123456789012:secret:name-AbCdEf"
EVERY_ARN = """\
region: us-east-2
iam: {{kms_key: "arn:aws:kms:{0}:123456789012:key/12345678-1234-1234-1234-123456789012"}}
monitoring: {{certificate: "arn:aws:acm:{0}:123456789012:certificate/1a2b3c4d"}}
access:
  directory_service:
    domain: corp.example.com
    addresses: [ldaps://dc.example.com]
    read_only_user: cn=ReadOnly,dc=example,dc=com
    password_secret: {1}
parallelcluster:
  slurm:
    munge_secret: {1}
    accounting: {{database: {{host: db.example.com, user: admin, password_secret: "{1}"}}}}
"""


def test_keys_certificates_and_secrets_of_another_region_are_found():
    assert paths(RULE, EVERY_ARN.format("eu-west-1", SECRET.format("eu-west-1"))) == [
        "iam.kms_key",
        "monitoring.certificate",
        "access.directory_service.password_secret",
        "parallelcluster.slurm.munge_secret",
        "parallelcluster.slurm.accounting.database.password_secret",
    ]


def test_those_of_this_region_are_fine():
    assert paths(RULE, EVERY_ARN.format("us-east-2", SECRET.format("us-east-2"))) == []
