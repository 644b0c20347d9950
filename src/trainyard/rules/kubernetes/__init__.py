"""What rules about Kubernetes manifests ask of them. Anything may stand anywhere; what misfits is passed over."""
