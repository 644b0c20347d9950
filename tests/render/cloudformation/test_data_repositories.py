"""The links of file systems to S3, of which the template of the storage stack knows one for each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cfn_lint import objections
from tests.specs import spec_of
from trainyard.render.cloudformation.stack import Stack
from trainyard.render.cloudformation.stacks import stack, template
from trainyard.render.stand_ins import Ids

LINKS = "[{uri: s3://sets, path: /data}, {uri: s3://models, path: /models, auto_export: [NEW]}]"


def storage(*data_repositories: str) -> Stack:
    file_systems = (
        f"{{mount: /fsx{number}, lustre: {{size_gib: 1200, data_repository: {written}}}}}"
        for number, written in enumerate(data_repositories)
    )
    return stack(spec_of(f"file_systems: [{', '.join(file_systems)}]"), "storage", Ids({}))


def further(rendered: Stack) -> dict[str, dict[str, Any]]:
    resources = yaml.safe_load(rendered.template)["Resources"]
    return {
        name: resources[name]["Properties"]
        for name in resources.keys() - yaml.safe_load(template("storage"))["Resources"].keys()
    }


def test_one_is_told_by_parameters_and_the_template_stays_as_it_is():
    assert storage("s3://sets").template == template("storage")
    as_list, as_text = storage("[{uri: s3://sets, path: /data}]"), storage("s3://sets")
    assert (as_list.template, as_list.parameters) == (as_text.template, as_text.parameters)


def test_each_further_one_is_a_resource_that_its_directory_names():
    first, both = storage(LINKS), storage(LINKS, "[{uri: s3://models, path: /models}]")
    ((name, properties),) = further(first).items()
    assert properties == {
        "FileSystemId": {"Ref": "Lustre"},
        "FileSystemPath": "/models",
        "DataRepositoryPath": "s3://models",
        "BatchImportMetaDataOnCreate": True,
        "S3": {"AutoImportPolicy": {"Events": ["NEW", "CHANGED", "DELETED"]}, "AutoExportPolicy": {"Events": ["NEW"]}},
    }
    assert first.parameters["DataRepository"] == "s3://sets"
    assert [link["FileSystemId"] for link in further(both).values() if link != properties] == [{"Ref": "Lustre2"}]
    # Who takes the first one out leaves the other where it is.
    assert further(storage("[{uri: s3://models, path: /models, auto_export: [NEW]}]")) == {name: properties}


@pytest.mark.integration
def test_cfn_lint_objects_to_nothing(tmp_path: Path):
    written = tmp_path / "storage.yaml"
    written.write_text(storage(LINKS, LINKS.replace("s3://", "s3://other-")).template, encoding="utf-8")
    assert objections(written, parameters=[], ignored=["W1030"], regions=["us-east-2"]) == []
