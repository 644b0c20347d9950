"""What containers of multi-node jobs run, where the image brings nothing that does it."""
