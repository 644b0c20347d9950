"""Amazon EKS as it is for clusters with managed node groups, of which moto keeps little: one kind of thing a file.

``apis/eks.py`` answers the calls; what they carry is held against the API's own model first. The Kubernetes that such a
cluster has is in ``emulated/kubernetes/``.
https://docs.aws.amazon.com/eks/latest/APIReference/Welcome.html
"""
