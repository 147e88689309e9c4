#!/bin/sh
# A run in parts on one machine: shards.sh BASE_URL PARTS, with the token in PLANT_STORE_TOKEN.
# Set SUITE to how the suite is called here, SEED and FIRST_ID to repeat a run.
set -u
url=$1 parts=$2
suite=${SUITE:-npx plant-store-conformance}
seed=${SEED:-7} first=${FIRST_ID:-1000000} out=${OUT:-reports}

# A part that finds a failure ends in 1; what counts is the exit code of the merge.
seq 1 "$parts" | xargs -P "$parts" -I '{}' \
  sh -c "$suite run '$url' --seed $seed --first-id $first --shard '{}/$parts' --out '$out/shard-{}' --quiet || true"

reports=
for part in $(seq 1 "$parts"); do reports="$reports $out/shard-$part/report.json"; done
exec $suite merge $reports --out "$out" --format json,html,junit
