"""What nodes run when they start: shell scripts that a bundle hands on as they are."""
