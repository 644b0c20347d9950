#!/usr/bin/env bash
# Lets ParallelCluster's CloudWatch agent send the logs of our steps too, into the cluster's own log group:
#
#   /var/log/trainyard/20-efa.log  becomes the stream  <host>.<instance id>.trainyard-20-efa
#
# and, where the spec asks for them, metrics: the agent measures the group `system` itself, and sends what
# `trainyard-node cloudwatch` writes about the others as log lines, of which CloudWatch makes metrics.
#
# The agent reads every file in amazon-cloudwatch-agent.d. `append-config` adds one; `fetch-config` makes one the only
# one and removes the others, ParallelCluster's among them. See amazon-cloudwatch-agent-ctl in
# https://github.com/aws/amazon-cloudwatch-agent/tree/main/packaging/dependencies
# ParallelCluster configures the agent before this runs, and not again while it runs: _cloudwatch_common.rb in
# https://github.com/aws/aws-parallelcluster-cookbook
set -euo pipefail
# shellcheck source=src/trainyard/bootstrap/assets/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

AGENT=$ROOT/opt/aws/amazon-cloudwatch-agent
FOLDER=$AGENT/etc/amazon-cloudwatch-agent.d
OURS=$ROOT/etc/trainyard/trainyard-logs.json

# Prints our configuration. Ends with 3 where no log group is configured.
# A file of its own for each log: of a pattern, the agent follows only the file that was written last.
# https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch-Agent-Configuration-File-Details.html
#
# The configurations of the agent become one, with one namespace. ParallelCluster measures memory and disk of the head
# node in the agent's own, where its alarms look for them, so there no namespace may be named, and what both would
# measure is left to ParallelCluster: two different values of one key are an error.
# https://github.com/aws/amazon-cloudwatch-agent/blob/main/translator/jsonconfig/mergeJsonUtil/util.go
# https://github.com/aws/aws-parallelcluster-cookbook/blob/develop/cookbooks/aws-parallelcluster-environment/files/cloudwatch/cloudwatch_agent_config.json
# On other nodes each metric has the one dimension InstanceId: one for each CPU and each disk would cost, each of them.
our_configuration() {
  python3 -I - "$AGENT/etc" "$TRAINYARD_RELEASE/plan.json" "$TRAINYARD_ROLE" "$TRAINYARD_QUEUE" "$(hostname)" \
    "$TRAINYARD_CLUSTER" "${TRAINYARD_CLOUDWATCH_METRICS:-}" <<'PYTHON'
import json, pathlib, sys

agent, plan, role, queue, host, cluster, wanted = sys.argv[1:]
EVERY_NODE = {
    "cpu": {
        "totalcpu": True,
        "measurement": [
            {"name": "cpu_usage_idle", "rename": "CPU_IDLE"},
            {"name": "cpu_usage_iowait", "rename": "CPU_IOWAIT"},
        ],
    },
    "swap": {"measurement": [{"name": "swap_used_percent", "rename": "SWAP_USED"}]},
    "netstat": {"measurement": ["tcp_established", "tcp_time_wait"]},
}
NOT_HEAD = {
    "mem": {"measurement": [{"name": "mem_used_percent", "rename": "MEM_USED"}]},
    "disk": {"resources": ["/"], "measurement": [{"name": "used_percent", "rename": "DISK_USED"}, "free"]},
    "diskio": {"resources": ["*"], "measurement": ["io_time", "read_bytes", "write_bytes"]},
}


def name_of(one):
    return one["name"] if isinstance(one, dict) else one


def for_whole_node(name, section):
    section = {**section, "metrics_collection_interval": 60}
    if name in ("cpu", "disk", "diskio"):
        section["drop_original_metrics"] = [name_of(one) for one in section["measurement"]]
    return section


def metrics(theirs):
    if theirs:
        collected = {name: one for name, one in EVERY_NODE.items() if name not in theirs.get("metrics_collected", {})}
        collected = {name: {**one, "metrics_collection_interval": 60} for name, one in collected.items()}
        return {"metrics": {"metrics_collected": collected}} if collected else {}
    return {
        "metrics": {
            "namespace": "ParallelCluster/" + cluster,
            "append_dimensions": {"InstanceId": "${aws:InstanceId}"},
            "aggregation_dimensions": [["InstanceId"]],
            "metrics_collected": {
                name: for_whole_node(name, section) for name, section in {**EVERY_NODE, **NOT_HEAD}.items()
            },
        }
    }


def groups(value):
    if isinstance(value, dict):
        if isinstance(value.get("log_group_name"), str):
            yield value["log_group_name"]
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from groups(one)


files = [pathlib.Path(agent, "amazon-cloudwatch-agent.json")]
files += sorted(pathlib.Path(agent, "amazon-cloudwatch-agent.d").glob("*"))
theirs = [json.loads(file.read_text()) for file in files if file.is_file() and "trainyard" not in file.name]
found = [group for one in theirs for group in groups(one) if group.startswith("/aws/parallelcluster/")]
if not found:
    sys.exit(3)
node = role if role in ("head", "login") else "queue/" + queue
names = [pathlib.PurePath(step["script"]).stem for step in json.load(open(plan))["nodes"][node]["steps"]]
logs = [
    {
        "file_path": "/var/log/trainyard/%s.log" % name,
        "log_group_name": found[0],
        "log_stream_name": "%s.{instance_id}.trainyard-%s" % (host.split(".")[0], name),
    }
    for name in names
]
if set(wanted.split()) - {"system"}:
    logs.append(
        {
            "file_path": "/var/log/trainyard-cloudwatch/metrics.log",
            "log_group_name": found[0],
            "log_stream_name": "%s.{instance_id}.trainyard-metrics" % host.split(".")[0],
        }
    )
measured = next((one["metrics"] for one in theirs if one.get("metrics")), {})
ours = {"logs": {"logs_collected": {"files": {"collect_list": logs}}}}
print(json.dumps({**ours, **(metrics(measured) if "system" in wanted.split() else {})}, indent=2))
PYTHON
}

# Whether the agent has just our configuration, under whatever name it gave it.
appended() {
  local file
  for file in "$FOLDER"/*; do
    ! cmp --silent "$file" "$OURS" || return 0
  done
  return 1
}

append() {
  local before
  before=$(theirs)
  attempt "add our logs to the CloudWatch agent" \
    "$AGENT/bin/amazon-cloudwatch-agent-ctl" -a append-config -m ec2 -c "file:$OURS" -s
  [[ $(theirs) == "$before" ]] ||
    fail 1 "the CloudWatch agent lost a configuration of ParallelCluster in $FOLDER: its logs are no longer collected"
  appended || fail 1 "the CloudWatch agent took no configuration from $OURS: see $AGENT/logs"
  note_change "the CloudWatch agent collects our logs too"
}

theirs() {
  find "$FOLDER" -type f ! -name '*trainyard*' -exec sha256sum {} + | sort
}

status=0
if [[ ! -x $AGENT/bin/amazon-cloudwatch-agent-ctl || ! -d $FOLDER ]]; then
  say "ParallelCluster's CloudWatch agent does not run here: our logs stay on the node"
else
  ours=$(our_configuration) || status=$?
  case $status in
  0)
    put "$OURS" 0644 <<<"$ours"
    appended || append
    ;;
  3) say "the CloudWatch agent collects no log for ParallelCluster: our logs stay on the node" ;;
  *) fail "$STATUS_SETTING" "the CloudWatch agent's configuration or $TRAINYARD_RELEASE/plan.json cannot be read: see the lines above" ;;
  esac
fi
finish
