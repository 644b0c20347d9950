"""CloudFormation types, one a file, found by being here."""
