"""What trainyard does, as functions: one module for each command.

Everything named here may be imported from ``trainyard`` itself. Modules are imported when something in them is first
asked for, because a check should not wait for what only a rendering needs. No name here is that of a module or a room:
importing one would hide the other.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trainyard.api.architectures import reference_architectures
    from trainyard.api.assets import check_assets, lock_assets
    from trainyard.api.batch_image import image_build, push_image
    from trainyard.api.batch_submit import cancel_batch_job, follow_batch_job, submit_batch_job
    from trainyard.api.check import check_files
    from trainyard.api.connect import (
        find_cluster_tunnel,
        find_tunnel,
        open_session,
        shell_on,
        ssh_entry,
        ssh_words,
        write_kubeconfig,
    )
    from trainyard.api.deploy import Account, Event, Options, account, deploy_file, destroy_cluster
    from trainyard.api.diagnose import Diagnosis, diagnose_cluster, diagnose_files, write_diagnosis
    from trainyard.api.explain import explain_id, explanations
    from trainyard.api.image import render_images
    from trainyard.api.instances import instance_facts, instance_types
    from trainyard.api.logs import cluster_logs, log_period, logs_of
    from trainyard.api.monitor_files import monitor_alerts, monitor_dashboards
    from trainyard.api.monitor_verify import verify_monitoring, verify_spec
    from trainyard.api.monitor_view import dashboards_data, metrics_keeper, open_viewer
    from trainyard.api.new import new_spec
    from trainyard.api.nodes import check_nodes, watch_nodes
    from trainyard.api.plan import plan_file
    from trainyard.api.rehearse import rehearse_file, write_report
    from trainyard.api.render import assemble_bundle, render_file
    from trainyard.api.schema import json_schema
    from trainyard.api.status import cluster_status
    from trainyard.errors import TrainyardError
    from trainyard.finding import Finding
    from trainyard.spec.cluster import Spec
    from trainyard.spec.parsing import parse
    from trainyard.version import __version__

__all__ = [
    "Account",
    "Diagnosis",
    "Event",
    "Finding",
    "Options",
    "Spec",
    "TrainyardError",
    "__version__",
    "account",
    "assemble_bundle",
    "cancel_batch_job",
    "check_assets",
    "check_files",
    "check_nodes",
    "cluster_logs",
    "cluster_status",
    "dashboards_data",
    "deploy_file",
    "destroy_cluster",
    "diagnose_cluster",
    "diagnose_files",
    "explain_id",
    "explanations",
    "find_cluster_tunnel",
    "find_tunnel",
    "follow_batch_job",
    "image_build",
    "instance_facts",
    "instance_types",
    "json_schema",
    "lock_assets",
    "log_period",
    "logs_of",
    "metrics_keeper",
    "monitor_alerts",
    "monitor_dashboards",
    "new_spec",
    "open_session",
    "open_viewer",
    "parse",
    "plan_file",
    "push_image",
    "reference_architectures",
    "rehearse_file",
    "render_file",
    "render_images",
    "shell_on",
    "ssh_entry",
    "ssh_words",
    "submit_batch_job",
    "verify_monitoring",
    "verify_spec",
    "watch_nodes",
    "write_diagnosis",
    "write_kubeconfig",
    "write_report",
]

_HOMES = {
    "Account": "trainyard.api.deploy",
    "Diagnosis": "trainyard.api.diagnose",
    "Event": "trainyard.api.deploy",
    "Finding": "trainyard.finding",
    "Options": "trainyard.api.deploy",
    "Spec": "trainyard.spec.cluster",
    "TrainyardError": "trainyard.errors",
    "__version__": "trainyard.version",
    "account": "trainyard.api.deploy",
    "assemble_bundle": "trainyard.api.render",
    "cancel_batch_job": "trainyard.api.batch_submit",
    "check_assets": "trainyard.api.assets",
    "check_files": "trainyard.api.check",
    "check_nodes": "trainyard.api.nodes",
    "cluster_logs": "trainyard.api.logs",
    "cluster_status": "trainyard.api.status",
    "dashboards_data": "trainyard.api.monitor_view",
    "deploy_file": "trainyard.api.deploy",
    "destroy_cluster": "trainyard.api.deploy",
    "diagnose_cluster": "trainyard.api.diagnose",
    "diagnose_files": "trainyard.api.diagnose",
    "explain_id": "trainyard.api.explain",
    "explanations": "trainyard.api.explain",
    "find_cluster_tunnel": "trainyard.api.connect",
    "find_tunnel": "trainyard.api.connect",
    "follow_batch_job": "trainyard.api.batch_submit",
    "image_build": "trainyard.api.batch_image",
    "instance_facts": "trainyard.api.instances",
    "instance_types": "trainyard.api.instances",
    "json_schema": "trainyard.api.schema",
    "lock_assets": "trainyard.api.assets",
    "log_period": "trainyard.api.logs",
    "logs_of": "trainyard.api.logs",
    "metrics_keeper": "trainyard.api.monitor_view",
    "monitor_alerts": "trainyard.api.monitor_files",
    "monitor_dashboards": "trainyard.api.monitor_files",
    "new_spec": "trainyard.api.new",
    "open_session": "trainyard.api.connect",
    "open_viewer": "trainyard.api.monitor_view",
    "parse": "trainyard.spec.parsing",
    "plan_file": "trainyard.api.plan",
    "push_image": "trainyard.api.batch_image",
    "reference_architectures": "trainyard.api.architectures",
    "rehearse_file": "trainyard.api.rehearse",
    "render_file": "trainyard.api.render",
    "render_images": "trainyard.api.image",
    "shell_on": "trainyard.api.connect",
    "ssh_entry": "trainyard.api.connect",
    "ssh_words": "trainyard.api.connect",
    "submit_batch_job": "trainyard.api.batch_submit",
    "verify_monitoring": "trainyard.api.monitor_verify",
    "verify_spec": "trainyard.api.monitor_verify",
    "watch_nodes": "trainyard.api.nodes",
    "write_diagnosis": "trainyard.api.diagnose",
    "write_kubeconfig": "trainyard.api.connect",
    "write_report": "trainyard.api.rehearse",
}


def __getattr__(name: str) -> Any:
    """Import what is asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module 'trainyard' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
