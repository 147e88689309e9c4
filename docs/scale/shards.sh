#!/bin/sh
# The shards of a run on one machine: shards.sh BASE_URL COUNT, with the token in PLANT_STORE_TOKEN.
# SUITE is the command of the suite; SEED and FIRST_ID repeat a run.
set -u
url=$1 parts=$2
suite=${SUITE:-npx plant-store-conformance}
seed=${SEED:-7} first=${FIRST_ID:-1000000} out=${OUT:-reports}

# A shard that finds a failure exits with 1. The CI result is the exit code of the merge.
seq 1 "$parts" | xargs -P "$parts" -I '{}' \
  sh -c "$suite run '$url' --seed $seed --first-id $first --shard '{}/$parts' --out '$out/shard-{}' --quiet || true"

reports=
for part in $(seq 1 "$parts"); do reports="$reports $out/shard-$part/report.json"; done
exec $suite merge $reports --out "$out" --format json,html,junit
