"""Dashboards, alerts and collection configs of a spec. Nothing here yet but its place."""
