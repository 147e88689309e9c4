#!/bin/sh
# Serves the store with the PostgreSQL of DATABASE_URL. Without one, creates a cluster in a temporary folder, on a Unix
# socket only, and removes it at the end.
set -eu

if [ -z "${DATABASE_URL:-}" ]; then
  PATH="$PATH:$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -n 1)"
  folder=$(mktemp -d)
  as=''
  if [ "$(id -u)" = 0 ]; then # PostgreSQL does not run as root
    chown postgres "$folder"
    as='setpriv --reuid=postgres --regid=postgres --init-groups --reset-env'
  fi
  (cd "$folder" && $as "$(command -v initdb)" -D "$folder/data" -U postgres -A trust -E UTF8 >/dev/null)
  (cd "$folder" && exec $as "$(command -v postgres)" -D "$folder/data" -k "$folder" -c listen_addresses='' \
    -c log_min_messages=fatal) 2>/dev/null &
  database=$!
  DATABASE_URL="host=$folder user=postgres dbname=postgres"
  export DATABASE_URL
fi

finish() {
  trap - EXIT
  [ -z "${server:-}" ] || { kill "$server" 2>/dev/null && wait "$server"; } || true
  [ -z "${database:-}" ] || { kill -INT "$database" 2>/dev/null && wait "$database"; } || true
  [ -z "${folder:-}" ] || rm -rf "$folder"
}
trap finish EXIT
trap 'exit 143' TERM
trap 'exit 130' INT

.venv/bin/uvicorn main:app --host 127.0.0.1 --port "$PORT" --log-level warning &
server=$!
wait "$server"
