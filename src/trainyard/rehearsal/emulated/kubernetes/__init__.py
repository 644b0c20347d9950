"""The Kubernetes of an emulated cluster: what is applied to it, its nodes, and the pods that come of both.

``api_server`` answers; nothing runs. Pods are worked out anew whenever somebody looks: from the workloads that were
applied and the instances that the node groups have, by the rules of the scheduler.
https://kubernetes.io/docs/reference/kubernetes-api/
"""
