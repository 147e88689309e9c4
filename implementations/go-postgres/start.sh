#!/bin/sh
# Creates a temporary PostgreSQL cluster in a temporary folder, on a Unix socket only, serves the store from it, and
# removes it at the end.
set -eu

bin=$(dirname "$(readlink -f "$(command -v initdb || ls -d /usr/lib/postgresql/*/bin/initdb | tail -n 1)")")
data=$(mktemp -d "${TMPDIR:-/tmp}/plant-store.XXXXXX")
as=''
if [ "$(id -u)" = 0 ]; then # PostgreSQL does not run as root
  user=$(id -un postgres 2>/dev/null || echo nobody)
  as="setpriv --reuid=$user --regid=$(id -gn "$user") --clear-groups"
  chown "$user" "$data"
fi

postgres='' server=''
finish() {
  trap - EXIT
  trap '' INT TERM HUP
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  [ -z "$postgres" ] || { kill -QUIT "$postgres" 2>/dev/null || true; wait "$postgres" 2>/dev/null || true; }
  rm -rf "$data"
}
trap finish EXIT
trap 'exit 0' INT TERM HUP

$as "$bin/initdb" -D "$data/db" -U plants -A trust -E UTF8 --no-locale --no-sync >/dev/null
$as "$bin/postgres" -D "$data/db" -k "$data" -c listen_addresses= -c fsync=off -c log_min_messages=fatal \
  -c log_min_error_statement=panic &
postgres=$!
until $as "$bin/psql" -h "$data" -U plants -d postgres -qc 'select 1' >/dev/null 2>&1; do
  kill -0 "$postgres" # ends here if the cluster did not come up
  sleep 0.1
done

DATABASE_URL="postgres:///postgres?host=$data&user=plants" ./server &
server=$!
wait "$server"
