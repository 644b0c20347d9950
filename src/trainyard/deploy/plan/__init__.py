"""What a deployment will do, cost and take, before it does anything."""
