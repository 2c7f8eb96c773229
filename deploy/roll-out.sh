#!/usr/bin/env bash
# Rolls out deploy/overlays/ENVIRONMENT: the migrations first, and nothing after a failed one.
set -euo pipefail

environment=${1:?usage: deploy/roll-out.sh development|staging|production}
overlay=$(dirname "$0")/overlays/$environment
namespace=fd-$environment
in_namespace=(kubectl --namespace "$namespace")
migrations=(users-service-migrate master-service-migrate)

kubectl apply -k "$overlay/foundation"
# a Job cannot be changed, so it is replaced
"${in_namespace[@]}" delete job "${migrations[@]}" --ignore-not-found
kubectl apply -k "$overlay/migrations"
for job in "${migrations[@]}"; do
  echo "waiting for $job"
  outcome=
  # the Job's deadline ends the wait
  until [[ " $outcome " == *' Complete '* ]]; do
    if [[ " $outcome " == *' Failed '* ]]; then
      "${in_namespace[@]}" logs "job/$job" --tail=100 >&2 || true
      echo "$job failed: the services are as they were. Its log is above; run this again once it is mended." >&2
      exit 1
    fi
    sleep 1
    outcome=$("${in_namespace[@]}" get job "$job" -o 'jsonpath={.status.conditions[?(@.status=="True")].type}')
  done
done
kubectl apply -k "$overlay/services"
for service in users-service master-service; do
  if ! "${in_namespace[@]}" rollout status "deployment/$service" --timeout=15m; then
    echo "$service is not rolled out; the replicas of the former release serve on. To go back: kubectl -n $namespace rollout undo deployment/$service" >&2
    exit 1
  fi
done
