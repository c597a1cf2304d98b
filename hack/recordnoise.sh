#!/usr/bin/env bash
# usage: hack/recordnoise.sh [RUNS]
# Records how much storage that does not change varies from run to run: the noise by which error rates of regressions are simulated
# (internal/regression/testdata). Makes three schedules in the cluster of KUBECONFIG, of the local cluster's stand-ins for gp3 and EFS and of its disks,
# has each of them measure RUNS times (60, at most 90), one benchmark after the other with volumes of its own, the three side by side, and prints their histories
# as CSV. The rest of the cluster, and of the machine, is what makes the noise. It takes 20 minutes, and removes what it made.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
readonly runs=${1:-60} namespace=recordnoise storagebench=$PWD/bin/kubectl-storagebench

# What was measured is printed, and what was made removed, also where this is stopped.
pids=()
finish() {
  kill "${pids[@]}" 2>/dev/null || true
  for name in gp3 efs disk; do
    "$storagebench" report "schedule/$name" --namespace "$namespace" -o csv || true
  done | awk 'NR == 1 || !/^time,/' | cut -d, -f1-20
  kubectl delete namespace "$namespace" --ignore-not-found --timeout=5m >&2
}
trap finish EXIT

schedule() {
  kubectl apply -f - >&2 <<YAML
apiVersion: storagebench.dev/v1alpha1
kind: StorageBenchmarkSchedule
metadata: {name: $1, namespace: $namespace}
spec:
  schedule: "0 0 1 1 *"
  historyLimit: $runs
  successfulBenchmarksHistoryLimit: 0
  template:
    spec:
      targets:
      - {name: $1, $2}
      workloads:
      - name: reads
        fio: {rw: randread, bs: 4k, ioengine: libaio, iodepth: 16, direct: true, size: 64M, timeBased: true, runtimeSeconds: 3}
      - name: commits
        fio: {rw: write, bs: 4k, ioengine: sync, fdatasync: 1, size: 16M, timeBased: true, runtimeSeconds: 3}
YAML
}

measure() {
  for ((run = 1; run <= runs; run++)); do
    timeout 5m "$storagebench" run --from-schedule "$1" --namespace "$namespace" >/dev/null
    echo "$1: $run of $runs" >&2
  done
}

kubectl create namespace "$namespace" >&2
schedule gp3 'capacity: 1Gi, ebs: {type: gp3}'
schedule efs 'efs: {fileSystemID: fs-0123456789abcdef0}'
schedule disk 'capacity: 128Mi, storageClassName: loop'
for name in gp3 efs disk; do
  measure "$name" &
  pids+=($!)
done
for pid in "${pids[@]}"; do
  wait "$pid"
done
