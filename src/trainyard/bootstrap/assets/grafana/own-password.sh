#!/usr/bin/env bash
# Gives the user admin the password of this instance's secret where the database comes from a volume that a former stack
# has left: its secret is gone, and with it the password. trainyard-grafana.service runs it as its own user, before
# Grafana. Where the secret is still the same, what people changed the password to in Grafana stays.
set -euo pipefail
umask 077

: "${GRAFANA_SECRET:?}" "${CREDENTIALS_DIRECTORY:?}"
ROOT=${TRAINYARD_SYSROOT:-}
DATA=$ROOT/var/lib/trainyard-grafana
PLACE=$ROOT/opt/trainyard/grafana/current
# The secret whose password the database has had from the beginning.
OF=$DATA/password-of

# A database without this file is of an earlier version, which had no volume, so its secret is the one that there is.
if [[ -s $DATA/grafana.db && -s $OF && $(<"$OF") != "$GRAFANA_SECRET" ]]; then
  # https://grafana.com/docs/grafana/latest/cli/#reset-admin-password
  "$PLACE/bin/grafana" cli --homepath="$PLACE" --config="$ROOT/etc/trainyard/grafana/grafana.ini" \
    admin reset-admin-password --password-from-stdin <"$CREDENTIALS_DIRECTORY/admin-password"
fi
printf '%s\n' "$GRAFANA_SECRET" >"$OF.new"
mv -T "$OF.new" "$OF"
