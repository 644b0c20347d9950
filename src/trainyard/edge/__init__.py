"""The only code that touches the world: files, programs, AWS. One file a service; decisions are made elsewhere."""
