import pytest

from tests.rules.documents.found import paths

RULE = "script-errors-ignored"


@pytest.mark.parametrize(
    "text",
    ["set +e\nyum -y install a", "set -e\nset +o errexit\n./efa_installer.sh -y", "set +ex\nsudo apt-get -q install a"],
)
def test_an_installation_behind_it_is_found(text):
    assert len(paths(RULE, f"#!/bin/bash\n{text}\n")) == 1


def test_it_stands_where_errors_are_switched_off_for_good():
    assert paths(RULE, "#!/bin/bash\nset -e\nset +e\na\nset -e\nb\nset +e\napt install c\n") == ["[6]"]


@pytest.mark.parametrize(
    "text",
    [
        "apt-get install -y a",
        "set +e\nrm a\nset -e\napt-get install -y a",
        "set +e\ngrep a b",
        "set +e\napt-get install -y a\nif [ $? -ne 0 ]; then exit 1; fi",
        "set +e\napt-get install -y a || exit 1",
        "set +e\nif apt-get install -y a; then b; fi",
        "set -e\non_exit() {\n  set +e\n}\ntrap on_exit EXIT\napt-get install -y a",
        "set +x\napt-get install -y a",
        "apt-get install -y a\nset +e\nb",
    ],
)
def test_whoever_looks_or_switches_errors_on_again_is_left_alone(text):
    assert paths(RULE, f"#!/bin/bash\n{text}\n") == []
