"""The life of a cluster in a real Prometheus: hours of p5, g5 and trn1 nodes, of jobs, and of faults that are known.

``with lived(folder, LIFE_OF_24) as life`` writes it by src/trainyard/simulation/ and by our real collector of Slurm,
lets promtool record what the rules record, and asks Prometheus for each alert at each minute. cluster.yaml says what
runs, faults.yaml what goes wrong and what has to be told of it.
"""

from __future__ import annotations
