#!/usr/bin/env bash
# Puts cfn-guard and the rules of AWS Control Tower into .make/cfn-guard, from AWS's package of both, unless they are there.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly VERSION=0.0.62
readonly INTEGRITY='sha512-Sg2k8067B0AIJ82QFSLhHTUIqxOYTKABvVrTHiyc6j0rE2NHli2diIYqf+w+DkuDKCYYgMIOga3OrYMOHUw0mQ=='
readonly PLACE=.make/cfn-guard

verify() {
  local found
  found="sha512-$(openssl dgst -sha512 -binary "$1" | base64 --wrap=0)"
  if [ "$found" != "$INTEGRITY" ]; then
    echo "the package of cfn-guard, $VERSION, is not what it was: $found; look at what changed before writing it into this script" >&2
    return 1
  fi
}

main() {
  local folder
  if [ "$(cat "$PLACE/integrity" 2>/dev/null)" = "$INTEGRITY" ]; then
    return
  fi
  echo "fetching cfn-guard (once)" >&2
  folder="$(mktemp --directory)"
  # shellcheck disable=SC2064  # it is this folder that has to go
  trap "rm -rf '$folder'" EXIT
  npm pack --silent --pack-destination "$folder" "@cdklabs/cdk-validator-cfnguard@$VERSION" >/dev/null
  verify "$folder/cdklabs-cdk-validator-cfnguard-$VERSION.tgz"
  tar --extract --gzip --file "$folder/cdklabs-cdk-validator-cfnguard-$VERSION.tgz" --directory "$folder"
  rm -rf "$PLACE"
  mkdir --parents "$PLACE"
  cp "$folder/package/bin/ubuntu/$(uname --machine)/cfn-guard" "$PLACE/cfn-guard"
  cp --recursive "$folder/package/rules/control-tower/cfn-guard" "$PLACE/rules"
  cp --recursive "$folder/package/rules/control-tower/metadata" "$PLACE/metadata"
  echo "$INTEGRITY" >"$PLACE/integrity"
}

main
