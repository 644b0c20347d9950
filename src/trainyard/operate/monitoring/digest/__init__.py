"""What a cluster did in the last days, for who pays for it: asked of its metrics, as a page, as text and by mail."""
