"""The state of an EKS cluster as logs: what AWS and the Kubernetes API say, and what pods said before they failed."""
