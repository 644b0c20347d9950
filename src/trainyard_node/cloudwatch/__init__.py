"""What this node tells CloudWatch, in lines that the CloudWatch agent sends."""
