"""CloudFormation types that are more than one call, one service a file, found by being here."""
