"""Empty files beside what is not read, such as those beyond the limit of an archive: what was read is said."""

from __future__ import annotations

from trainyard.api.diagnose import diagnose_files


def test_a_folder_of_empty_files_and_a_picture_is_no_error(tmp_path):
    for number in range(3):
        (tmp_path / f"{number}.log").touch()
    (tmp_path / "picture").write_bytes(b"\x89PNG\r\n\x1a\n")
    diagnosis = diagnose_files(str(tmp_path))
    assert (diagnosis.files, diagnosis.unread_count, diagnosis.causes) == (3, 1, ())
