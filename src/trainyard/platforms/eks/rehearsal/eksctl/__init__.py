"""An eksctl for emulated accounts: the stacks and calls that the real one makes of a ClusterConfig, one part a file.

What goes into which stack was read in its source on 2026-11-22; of the copies that were read, some were years older
than the release whose number it bears. A newer eksctl may make more.
https://github.com/eksctl-io/eksctl/tree/main/pkg/cfn/builder
https://github.com/eksctl-io/eksctl/blob/main/pkg/ctl/create/cluster.go
"""
