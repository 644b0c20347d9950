"""Deploying: preflights and steps against an AWS account. Nothing here yet but its place."""
