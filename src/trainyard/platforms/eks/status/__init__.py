"""What there is of an Amazon EKS cluster: what AWS says of it, and its own Kubernetes API, where that answers."""
