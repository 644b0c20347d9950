"""Recognises the files of other tools, so that an error can say what was given instead of a spec."""

from __future__ import annotations

from typing import Any


def foreign_kind(document: dict[str, Any]) -> str | None:
    """Return what a mapping is when it is plainly some other tool's file, otherwise None."""
    if "HeadNode" in document or "Scheduling" in document:
        return "a ParallelCluster configuration"
    if "AWSTemplateFormatVersion" in document or "Resources" in document:
        return "a CloudFormation template"
    if str(document.get("apiVersion", "")).startswith("eksctl.io/"):
        return "an eksctl ClusterConfig"
    if "apiVersion" in document and "kind" in document:
        return "a Kubernetes manifest"
    return None
