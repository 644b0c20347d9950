from tests.each_case import each_case
from tests.rules.found import paths, problems

RULE = "lustre-option-does-not-exist"


def of(lustre: str) -> str:
    return f"file_systems: [{{mount: /fsx, lustre: {{{lustre}}}}}]"


SSD = "size_gib: 4800, throughput_mb_s_per_tib: 1000"


FINE = (
    SSD,
    f"{SSD}, efa: true",
    f"{SSD}, metadata_iops: automatic",
    *(f"{SSD}, metadata_iops: {iops}" for iops in (1500, 3000, 6000, 12000, 24000, 192000)),
    "intelligent_tiering: {throughput_mb_s: 4000}",
    "intelligent_tiering: {throughput_mb_s: 2000000}, metadata_iops: 12000, efa: true",
    *(f"intelligent_tiering: {{throughput_mb_s: 8000, read_cache_gib: {size}}}" for size in (0, 64, 262144)),
    "id: fs-0123456789abcdef0",
)


@each_case("lustre", FINE)
def test_what_fsx_offers_is_fine(lustre: str):
    assert paths(RULE, of(lustre)) == []


OLD, TIERED = f"{SSD}, deployment: PERSISTENT_1", "intelligent_tiering: {throughput_mb_s: 8000}"
WRONG = {
    f"{OLD}, efa: true": "efa",
    f"{OLD}, metadata_iops: 1500": "metadata_iops",
    "intelligent_tiering: {throughput_mb_s: 4000}, deployment: SCRATCH_2": "intelligent_tiering",
    f"{SSD}, metadata_iops: 4500": "metadata_iops",
    f"{SSD}, metadata_iops: 204000": "metadata_iops",
    f"{TIERED}, metadata_iops: automatic": "metadata_iops",
    f"{TIERED}, metadata_iops: 24000": "metadata_iops",
    f"{TIERED}, throughput_mb_s_per_tib: 250": "throughput_mb_s_per_tib",
    f"{TIERED}, data_repository: s3://mine": "data_repository",
    "intelligent_tiering: {throughput_mb_s: 6000}": "intelligent_tiering.throughput_mb_s",
    "intelligent_tiering: {throughput_mb_s: 2004000}": "intelligent_tiering.throughput_mb_s",
    "intelligent_tiering: {throughput_mb_s: 8000, read_cache_gib: 63}": "intelligent_tiering.read_cache_gib",
    "intelligent_tiering: {throughput_mb_s: 4000, read_cache_gib: 131073}": "intelligent_tiering.read_cache_gib",
}


@each_case(("lustre", "key"), WRONG.items())
def test_everything_else_is_found_at_its_key(lustre: str, key: str):
    assert paths(RULE, of(lustre)) == [f"file_systems[0].lustre.{key}"]


def test_the_remedy_says_what_there_is():
    (problem,) = problems(RULE, of("intelligent_tiering: {throughput_mb_s: 8000, read_cache_gib: 10}"))
    assert problem.message == "/fsx: 8,000 MB/s of Intelligent-Tiering have no read cache of 10 GiB"
    assert problem.remedy == "use 64 to 262,144 GiB, or 0 for none"
