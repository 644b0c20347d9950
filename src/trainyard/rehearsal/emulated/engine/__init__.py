"""CloudFormation as AWS does it: events for every resource, rollback, change sets, and nothing skipped.

``api`` answers the calls; ``stacks`` holds what exists; ``deployment`` and ``deletion`` do the work.
"""
