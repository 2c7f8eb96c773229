#!/usr/bin/env bash
# Rolls out deploy/overlays/ENVIRONMENT: the migrations first, then a check of the vendors, and nothing after a failure.
# SKIP_DOCTOR=1 leaves out the check of the vendors.
set -euo pipefail

environment=${1:?usage: [SKIP_DOCTOR=1] deploy/roll-out.sh development|staging|production}
overlay=$(dirname "$0")/overlays/$environment
namespace=fd-$environment
in_namespace=(kubectl --namespace "$namespace")
migrations=(users-service-migrate master-service-migrate)
doctor=users-service-doctor

# Waits until the Job $1 has ended; its deadline ends the wait. A failed Job ends the roll-out with its log and the advice $2.
wait_for() {
  local outcome=
  echo "waiting for $1"
  until [[ " $outcome " == *' Complete '* ]]; do
    if [[ " $outcome " == *' Failed '* ]]; then
      "${in_namespace[@]}" logs "job/$1" --tail=500 >&2 || true
      echo "$1 failed: the services are as they were. Its log is above; $2" >&2
      exit 1
    fi
    sleep 1
    outcome=$("${in_namespace[@]}" get job "$1" -o 'jsonpath={.status.conditions[?(@.status=="True")].type}')
  done
}

kubectl apply -k "$overlay/foundation"
# a Job cannot be changed, so it is replaced
"${in_namespace[@]}" delete job "${migrations[@]}" --ignore-not-found
kubectl apply -k "$overlay/migrations"
for job in "${migrations[@]}"; do
  wait_for "$job" 'fix the cause and run this again.'
done
if [[ ${SKIP_DOCTOR:-} ]]; then
  echo 'SKIP_DOCTOR is set: the vendors are not checked' >&2
else
  # the template of the Job, its network policy and the new settings, which no pod of the service uses yet
  kubectl apply -k "$overlay/services" --selector roll-out-step=doctor
  "${in_namespace[@]}" delete job "$doctor" --ignore-not-found
  "${in_namespace[@]}" create job "$doctor" "--from=cronjob/$doctor"
  wait_for "$doctor" 'docs/runbooks/doctor.md says what to do. SKIP_DOCTOR=1 rolls out without this check.'
  # ends with the signed report
  "${in_namespace[@]}" logs "job/$doctor" --tail=500
fi
former=$("${in_namespace[@]}" get deployment master-service --ignore-not-found -o name)
kubectl apply -k "$overlay/services"
if [[ ! $former ]]; then
  echo 'the first roll-out: master-service becomes ready once a catalogue is imported. Import it now, in another terminal: docs/kubernetes.md#the-first-roll-out'
fi
for service in users-service master-service; do
  if ! "${in_namespace[@]}" rollout status "deployment/$service" --timeout=15m; then
    echo "$service is not rolled out; the replicas of the former release serve on. To go back: kubectl -n $namespace rollout undo deployment/$service" >&2
    exit 1
  fi
done
