from tests.deploy.preflights.good import changed, found, problems
from tests.deploy.preflights.recorded import Refusal, listening

PREFLIGHT = "assets-bucket-not-usable"
UNNAMED = changed("assets: {bucket: ml-assets}\n", "")


def test_a_named_bucket_that_is_not_there_is_found():
    (problem,) = problems(PREFLIGHT, answers={"s3.HeadBucket": Refusal("404", status=404)})
    assert problem.path == ("assets", "bucket")
    assert problem.message == "there is no bucket ml-assets"


def test_a_bucket_that_is_to_be_made_need_not_be_there():
    assert found(PREFLIGHT, UNNAMED, {"s3.HeadBucket": Refusal("404", status=404)}) == []


def test_a_bucket_of_another_account_is_found_also_where_it_has_the_name_of_ours():
    refused = {"s3.HeadBucket": Refusal("403", status=403)}
    assert found(PREFLIGHT, answers=refused) == ["assets.bucket"]
    (problem,) = problems(PREFLIGHT, UNNAMED, refused)
    assert problem.message.startswith("bucket trainyard-123456789012-us-east-2 belongs to another account")


def test_the_owner_is_part_of_the_question():
    answer, heard = listening({})
    found(PREFLIGHT, answers={"s3.HeadBucket": answer})
    assert heard == [{"Bucket": "ml-assets", "ExpectedBucketOwner": "123456789012"}]


def test_a_bucket_of_another_region_is_found():
    assert found(PREFLIGHT, answers={"s3.HeadBucket": {"BucketRegion": "us-west-2"}}) == ["assets.bucket"]
    redirected = Refusal("301", status=301, headers={"x-amz-bucket-region": "eu-west-1"})
    assert found(PREFLIGHT, answers={"s3.HeadBucket": redirected}) == ["assets.bucket"]
