from tests.deploy.preflights.good import changed, found, problems
from tests.deploy.preflights.recorded import Refusal

PREFLIGHT = "data-repository-not-usable"
PATH = "file_systems[1].lustre.data_repository"
ELSEWHERE = {"s3.HeadBucket": {"BucketRegion": "us-west-2"}}


def test_a_bucket_that_is_not_there_is_found():
    (problem,) = problems(PREFLIGHT, answers={"s3.HeadBucket": Refusal("404", status=404)})
    assert problem.path == ("file_systems", 1, "lustre", "data_repository")
    assert problem.message == "there is no bucket ml-datasets"


def test_a_bucket_that_may_not_be_listed_is_found():
    assert found(PREFLIGHT, answers={"s3.HeadBucket": Refusal("403", status=403)}) == [PATH]


def test_a_bucket_of_another_region_rules_out_automatic_import():
    (problem,) = problems(PREFLIGHT, answers=ELSEWHERE)
    assert problem.message == (
        "bucket ml-datasets lies in us-west-2, and the file system in us-east-2, which rules out automatic import"
    )


def test_without_automatic_import_another_region_is_a_warning():
    spec = changed("data_repository: s3://ml-datasets/train", "data_repository: s3://ml-datasets, auto_import: []")
    assert found(PREFLIGHT, spec, ELSEWHERE) == [f"{PATH} (warning)"]
