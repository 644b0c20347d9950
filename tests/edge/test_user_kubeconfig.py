"""The user's kubeconfig gets a context and loses it again; nothing else in it changes."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
import yaml

from trainyard.edge.kubernetes.user_kubeconfig import Context, add_context, remove_context, user_kubeconfig
from trainyard.errors import TrainyardError

ARN = "arn:aws:eks:us-east-2:123456789012:cluster/llm"
CONTEXT = Context(ARN, "llm", "us-east-2", "https://abc.eks.amazonaws.com", "QUFB" * 400)
MINE = """\
# clusters at home
apiVersion: v1
kind: Config
clusters:
- cluster: {server: "https://10.0.0.1:6443"}
  name: home
contexts:
- context:
    user: me
    cluster: home
    namespace: "jobs" # where I work
  name: home
users:
- name: me
  user:
    token: secret
current-context: home
"""


@pytest.fixture
def file(tmp_path) -> Path:
    place: Path = tmp_path / "config"
    return place


def test_everything_else_stays_as_it_is(file):
    file.write_text(MINE)
    file.chmod(0o640)
    assert add_context(file, CONTEXT)
    text = file.read_text()
    for line in MINE.splitlines():
        assert line in text
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert yaml.safe_load(text)["current-context"] == "home"
    assert [context["name"] for context in yaml.safe_load(text)["contexts"]] == ["home", ARN]


def test_the_entry_is_what_the_aws_cli_writes(file):
    add_context(file, CONTEXT._replace(profile="ml"))
    written = yaml.safe_load(file.read_text())
    (user,) = written["users"]
    assert user["user"]["exec"] == {
        "apiVersion": "client.authentication.k8s.io/v1beta1",
        "args": ["--region", "us-east-2", "eks", "get-token", "--cluster-name", "llm", "--output", "json"],
        "command": "aws",
        "env": [{"name": "AWS_PROFILE", "value": "ml"}],
    }
    assert written["current-context"] == ""


def test_a_new_file_is_for_its_owner_alone(tmp_path):
    file = tmp_path / "new" / "config"
    add_context(file, CONTEXT)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert [one.name for one in file.parent.iterdir()] == ["config"]


def test_a_second_time_nothing_is_written(file):
    add_context(file, CONTEXT)
    before = file.stat().st_mtime_ns
    assert not add_context(file, CONTEXT)
    assert file.stat().st_mtime_ns == before


def test_a_link_is_followed(tmp_path, file):
    file.write_text(MINE)
    link = tmp_path / "link"
    link.symlink_to(file)
    add_context(link, CONTEXT)
    assert link.is_symlink()
    assert ARN in file.read_text()


def test_links_in_a_circle_are_one_clear_error(tmp_path):
    one, other = tmp_path / "one", tmp_path / "other"
    one.symlink_to(other)
    other.symlink_to(one)
    with pytest.raises(TrainyardError, match=r"link that leads nowhere|cannot be read"):
        add_context(one, CONTEXT)


@pytest.mark.parametrize(
    ("key", "entry", "said"),
    [
        ("clusters", {"name": ARN, "cluster": {"server": "https://other"}}, "leads to https://other"),
        ("contexts", {"name": ARN, "context": {"cluster": "home", "user": "me"}}, "is a context of cluster home"),
        ("users", {"name": ARN, "user": {"token": "mine"}}, "is a user who signs in otherwise"),
        (
            "users",
            {"name": ARN, "user": {"exec": {"command": "aws", "args": ["get-token", "--cluster-name", "other"]}}},
            "signs in otherwise",
        ),
    ],
)
def test_an_entry_that_leads_elsewhere_is_not_replaced(file, key, entry, said):
    document = {**yaml.safe_load(MINE)}
    document[key].append(entry)
    file.write_text(yaml.safe_dump(document))
    before = file.read_bytes()
    with pytest.raises(TrainyardError, match=said) as raised:
        add_context(file, CONTEXT)
    assert "delete-context" in str(raised.value.hint)
    assert file.read_bytes() == before


@pytest.mark.parametrize("content", ["a: [", "just text", "[1, 2]", "clusters: {a: b}", "{a: &a [*a, *a]}: 1: 2"])
def test_what_is_no_kubeconfig_is_not_touched(file, content):
    file.write_text(content)
    with pytest.raises(TrainyardError, match="cannot be used"):
        add_context(file, CONTEXT)
    assert file.read_text() == content


def test_a_read_only_file_or_folder_is_refused(tmp_path, file):
    file.write_text(MINE)
    file.chmod(0o444)
    with pytest.raises(TrainyardError, match="it is read-only"):
        add_context(file, CONTEXT)
    with pytest.raises(TrainyardError, match=r"is no folder|cannot be read"):
        add_context(file / "below" / "config", CONTEXT)
    assert file.read_text() == MINE
    assert [one.name for one in tmp_path.iterdir()] == ["config"]


def test_a_read_only_file_that_has_the_context_already_is_fine(file):
    add_context(file, CONTEXT)
    file.chmod(0o444)
    assert not add_context(file, CONTEXT)


def test_removing_takes_out_what_leads_to_the_server_and_nothing_else(file):
    file.write_text(MINE)
    add_context(file, CONTEXT)
    assert not remove_context(file, ARN, "https://another.eks.amazonaws.com")
    assert ARN in file.read_text()
    assert remove_context(file, ARN, CONTEXT.server)
    assert yaml.safe_load(file.read_text()) == yaml.safe_load(MINE)
    assert not remove_context(file, ARN, CONTEXT.server)


def test_removing_leaves_a_user_of_the_name_who_signs_in_otherwise(file):
    add_context(file, CONTEXT)
    document = yaml.safe_load(file.read_text())
    document["users"][0]["user"] = {"token": "mine"}
    document["current-context"] = ARN
    file.write_text(yaml.safe_dump(document))
    remove_context(file, ARN, CONTEXT.server)
    left = yaml.safe_load(file.read_text())
    assert [user["name"] for user in left["users"]] == [ARN]
    assert left["current-context"] == ""


def test_removing_from_a_file_that_is_not_there_does_nothing(file):
    assert not remove_context(file, ARN, CONTEXT.server)
    assert not file.exists()


@pytest.mark.parametrize(
    ("value", "expected"), [("", "~/.kube/config"), ("/a/one:/b/two", "/a/one"), (":/b/two", "/b/two")]
)
def test_the_first_file_of_kubeconfig_is_meant(monkeypatch, value, expected):
    monkeypatch.setenv("KUBECONFIG", value)
    assert user_kubeconfig() == Path(expected).expanduser()
    assert user_kubeconfig(Path("/given")) == Path("/given")
