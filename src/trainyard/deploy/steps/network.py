"""The stack of the network, which stays as long as data that is kept stands in it."""

from __future__ import annotations

from trainyard.deploy.step import Outcome
from trainyard.deploy.steps.stack import StackStep
from trainyard.deploy.work import Work
from trainyard.edge.aws.kept_data import kept_data
from trainyard.edge.aws.stack_events import stack_resources
from trainyard.edge.aws.stacks import find_stack


class NetworkStep(StackStep):
    """A subnet cannot be deleted while a file system has its interfaces there."""

    def undo(self, work: Work) -> Outcome:
        """Delete it, unless a file system that is kept stands in it."""
        name = f"{work.name}-{self.kind}"
        if find_stack(work.account, name) is None:
            return Outcome(changed=False, detail="there is none")
        resources = stack_resources(work.account, name)
        subnets = {one.physical_id for one in resources if one.type == "AWS::EC2::Subnet"}
        # In a VPC that existed before, the stack has only security groups, and FSx has interfaces in one of them.
        guarded = any(one.resource == "FileSystemSecurityGroup" for one in resources)
        kept = kept_data(work.account, work.name, work.owns)
        standing = [one for one in kept if one.subnets & subnets or (guarded and one.kind == "fsx")]
        if standing:
            work.kept.append(f"stack {name}, because {standing[0]} stands in its network")
            return Outcome(changed=False, detail=f"kept, because {standing[0]} stands in it")
        return super().undo(work)
