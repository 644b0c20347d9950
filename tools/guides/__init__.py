"""The guides in docs/guides/: what people do with clusters, with facts from the data that everything else reads."""
