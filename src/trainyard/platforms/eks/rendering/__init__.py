"""From a spec to what eksctl and kubectl read: a ClusterConfig, and launch templates where eksctl's would be wrong."""
