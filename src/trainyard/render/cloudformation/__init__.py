"""The CloudFormation stacks beside a cluster: whole templates, and small functions that give them their parameters."""
