#!/usr/bin/env bash
# Makes this release the node's: /opt/trainyard/current leads to it, and `trainyard-node` on the PATH runs its package.
# Enables the unit that runs deferred steps, which the runner starts at its end, and systemd at every later start.
set -euo pipefail
# shellcheck source=src/trainyard/bootstrap/assets/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

UNIT=trainyard-deferred.service

wrapper() {
  cat <<'EOT'
#!/bin/sh
exec python3 /opt/trainyard/current/trainyard-node.pyz "$@"
EOT
}

need TRAINYARD_RELEASE
[[ -f $TRAINYARD_RELEASE/trainyard-node.pyz ]] ||
  fail "$STATUS_DAMAGED" "$TRAINYARD_RELEASE holds no trainyard-node.pyz: publish the release again"
link "$TRAINYARD_RELEASE" "$ROOT/opt/trainyard/current"
wrapper | put "$ROOT/usr/local/bin/trainyard-node" 0755
put "$ROOT/etc/systemd/system/$UNIT" 0644 <"$(dirname "${BASH_SOURCE[0]}")/../units/$UNIT"
enable_unit "$UNIT"
finish
