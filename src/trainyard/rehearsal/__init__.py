"""The emulated AWS account that a rehearsal hands to deploy. Nothing here yet but its place."""
