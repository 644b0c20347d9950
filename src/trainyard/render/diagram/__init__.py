"""The picture of a cluster, drawn from its spec: one SVG that needs nothing beside itself. Pure, like all rendering."""
