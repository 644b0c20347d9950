"""Finds the processor topology of an instance type that Slurm has to be told: ParallelCluster writes another one."""

from __future__ import annotations

from trainyard.catalog.instances import find


def slurm_topology(instance_type: str) -> tuple[int, int, int] | None:
    """Return sockets, cores of a socket and threads of a core, as slurmd finds them; None where a part is unknown.

    ParallelCluster gives Slurm the CPUs only, from which Slurm makes as many sockets of one core.
    https://github.com/aws/aws-parallelcluster/issues/5797
    """
    facts = find(instance_type)
    if facts is None or facts.sockets is None or facts.cores is None or facts.threads_per_core is None:
        return None
    return facts.sockets, facts.cores // facts.sockets, facts.threads_per_core
