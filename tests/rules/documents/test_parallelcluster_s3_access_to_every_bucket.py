from tests.rules.documents.found import problems

RULE = "parallelcluster-s3-access-to-every-bucket"


def test_a_star_for_the_bucket_is_found_at_every_kind_of_nodes():
    queue = "{Name: a, Iam: {S3Access: [{BucketName: mine}, {BucketName: '*', EnableWriteAccess: true}]}}"
    head = "{Iam: {S3Access: [{BucketName: '*'}]}}"
    of_head, of_queue = problems(RULE, f"HeadNode: {head}\nScheduling: {{SlurmQueues: [{queue}]}}")
    assert of_head.message == "with BucketName *, these nodes may read every object of every bucket"
    assert of_queue.path == ("Scheduling", "SlurmQueues", 0, "Iam", "S3Access", 1, "BucketName")
    assert of_queue.message.startswith("with BucketName *, these nodes may write and delete")
