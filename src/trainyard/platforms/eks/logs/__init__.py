"""The logs of an EKS cluster: of its control plane and of Container Insights in CloudWatch, and of pods by kubectl."""
