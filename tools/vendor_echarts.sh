#!/usr/bin/env bash
# Puts Apache ECharts into the viewer's page, as src/trainyard/operate/monitoring/viewer/page/echarts.md notes it.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly VERSION=6.1.0
readonly INTEGRITY='sha512-q0yaFPggC9FUdsWH4blavRWFmxdrIodbkoKNAjJudAI6CA9gNPxHtV2RcZNEepZVlk4yvBYkOkbk6HIVpIyHZA=='
readonly PAGE=src/trainyard/operate/monitoring/viewer/page

verify() {
  local found
  found="sha512-$(openssl dgst -sha512 -binary "$1" | base64 --wrap=0)"
  if [ "$found" != "$INTEGRITY" ]; then
    echo "echarts $VERSION is not what it was: $found; look at what changed before writing it into this script" >&2
    return 1
  fi
}

main() {
  local folder
  folder="$(mktemp --directory)"
  # shellcheck disable=SC2064  # it is this folder that has to go
  trap "rm -rf '$folder'" EXIT
  npm pack --silent --pack-destination "$folder" "echarts@$VERSION" >/dev/null
  verify "$folder/echarts-$VERSION.tgz"
  tar --extract --gzip --file "$folder/echarts-$VERSION.tgz" --directory "$folder"
  cp "$folder/package/dist/echarts.simple.min.js" "$PAGE/echarts.simple.min.js"
  cp "$folder/package/LICENSE" "$PAGE/echarts.LICENSE"
  cp "$folder/package/NOTICE" "$PAGE/echarts.NOTICE"
  cp "$folder/package/licenses/LICENSE-d3" "$PAGE/echarts.LICENSE-d3"
}

main
