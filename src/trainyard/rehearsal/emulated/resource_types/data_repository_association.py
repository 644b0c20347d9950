"""An S3 bucket or prefix as a folder of an FSx for Lustre file system."""

from __future__ import annotations

from trainyard.rehearsal.emulated.properties import picked, with_tags
from trainyard.rehearsal.emulated.resource import Aws, Made, Wanted

TYPE = "AWS::FSx::DataRepositoryAssociation"
_NAMES = (
    "BatchImportMetaDataOnCreate",
    "DataRepositoryPath",
    "FileSystemId",
    "FileSystemPath",
    "ImportedFileChunkSize",
    "S3",
)


def create(aws: Aws, wanted: Wanted) -> Made:
    """Associate it."""
    asked = picked(wanted.properties, *_NAMES)
    answer = aws.client("fsx").create_data_repository_association(**asked, **with_tags(wanted))["Association"]
    return Made(answer["AssociationId"], {name: answer[name] for name in ("AssociationId", "ResourceARN")})


def delete(aws: Aws, made: Made) -> None:
    """Take it away; the files stay where they are."""
    fsx = aws.client("fsx")
    fsx.delete_data_repository_association(AssociationId=made.id, DeleteDataInFileSystem=False)
