"""What nodes run when they start. Nothing here yet but its place."""
