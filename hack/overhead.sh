#!/usr/bin/env bash
# What the operator adds to fio: the time from kubectl apply to a result, and to a result with its volume deleted, against
# the same fio in a plain Job on a new volume of the same class, in turns. Prints each pair, the medians and their ratios,
# and the CPU time and memory that the operator took while fio measured. With argument matrix: what each run of a matrix
# of 12 costs beside fio. docs/comparison.md says where the time goes, and what of it nobody can have.
#
# Works on the cluster of KUBECONFIG with the operator installed. ROUNDS, SECONDS_OF_FIO and STORAGE_CLASS change it.
set -euo pipefail
shopt -s inherit_errexit

readonly ROUNDS=${ROUNDS:-3} FIO_SECONDS=${SECONDS_OF_FIO:-5} CLASS=${STORAGE_CLASS:-loop}
readonly SYSTEM=storagebench-system
readonly NAMESPACE=storagebench-overhead-$$

cleanup() { kubectl delete namespace "$NAMESPACE" --wait=true >/dev/null; }

now() { date +%s.%N; }
since() { awk -v a="$1" -v b="$(now)" 'BEGIN { printf "%.2f", b - a }'; }
median() { sort -n | awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'; }

runner_image() {
  kubectl get deployment --namespace "$SYSTEM" --output jsonpath='{.items[0].spec.template.spec.containers[0].args}' |
    grep -o 'runner-image=[^"]*' | cut -d= -f2
}

# Prints seconds of CPU and bytes of memory of the operator's container, as its kubelet counts them.
operator_usage() {
  local node
  node=$(kubectl get pods --namespace "$SYSTEM" --output jsonpath='{.items[0].spec.nodeName}')
  kubectl get --raw "/api/v1/nodes/$node/proxy/metrics/resource" |
    awk -v ns="namespace=\"$SYSTEM\"" '
      index($0, ns) && /^container_cpu_usage_seconds_total/ { cpu = $2 }
      index($0, ns) && /^container_memory_working_set_bytes/ { memory = $2 }
      END { print cpu + 0, memory + 0 }'
}

# Prints the seconds until the result is there, and until all else is gone.
benchmark() {
  local began measured
  began=$(now)
  kubectl apply --namespace "$NAMESPACE" --filename - >/dev/null <<YAML
apiVersion: storagebench.dev/v1alpha1
kind: StorageBenchmark
metadata: {name: overhead}
spec:
  targets: [{name: volume, storageClassName: $CLASS, capacity: 1Gi}]
  workloads:
  - name: randwrite
    fio: {rw: randwrite, bs: 16k, ioengine: psync, direct: true, size: 64M, timeBased: true, runtimeSeconds: $FIO_SECONDS}
YAML
  kubectl wait --namespace "$NAMESPACE" storagebenchmark/overhead --for=condition=Measured --timeout=2m >/dev/null
  measured=$(since "$began")
  kubectl wait --namespace "$NAMESPACE" storagebenchmark/overhead --for=condition=Succeeded --timeout=2m >/dev/null
  echo "$measured $(since "$began")"
  kubectl delete --namespace "$NAMESPACE" storagebenchmark overhead >/dev/null
}

# Prints the same of a Job.
plain_job() {
  local began measured volume
  began=$(now)
  kubectl apply --namespace "$NAMESPACE" --filename - >/dev/null <<YAML
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: plain}
spec: {storageClassName: $CLASS, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: plain}
spec:
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      securityContext: {runAsUser: 65532, fsGroup: 65532}
      containers:
      - name: fio
        image: $IMAGE
        command: [fio, --name=randwrite, --directory=/volume, --rw=randwrite, --bs=16k, --ioengine=psync, --direct=1, --size=64M,
          --time_based, --runtime=$FIO_SECONDS, --output-format=json+]
        volumeMounts: [{name: volume, mountPath: /volume}]
      volumes: [{name: volume, persistentVolumeClaim: {claimName: plain}}]
YAML
  kubectl wait --namespace "$NAMESPACE" job/plain --for=condition=Complete --timeout=2m >/dev/null
  measured=$(since "$began")
  volume=$(kubectl get pvc --namespace "$NAMESPACE" plain --output jsonpath='{.spec.volumeName}')
  kubectl delete --namespace "$NAMESPACE" job/plain pvc/plain >/dev/null
  kubectl wait pv "$volume" --for=delete --timeout=2m >/dev/null
  echo "$measured $(since "$began")"
}

# Prints how long fio takes beyond the time for which it measures, to start and to end.
fio_beyond_runtime() {
  local directory began
  directory=$(mktemp -d)
  began=$(now)
  fio --name=own --directory="$directory" --rw=randwrite --ioengine=psync --size=16M --time_based --runtime=1 --output-format=json+ --output="$directory/output"
  awk -v took="$(since "$began")" 'BEGIN { print took - 1 }'
  rm -r "$directory"
}

# A matrix of 12 runs on two volumes: what each run costs beside fio's own time, and where that goes.
matrix() {
  local began beyond
  beyond=$(fio_beyond_runtime)
  began=$(now)
  kubectl apply --namespace "$NAMESPACE" --filename - >/dev/null <<YAML
apiVersion: storagebench.dev/v1alpha1
kind: StorageBenchmark
metadata: {name: matrix}
spec:
  targets: [{name: one, storageClassName: $CLASS, capacity: 1Gi}, {name: two, storageClassName: $CLASS, capacity: 1Gi}]
  workloads:
  - name: randwrite
    fio: {rw: randwrite, ioengine: psync, direct: true, size: 64M, timeBased: true, runtimeSeconds: $FIO_SECONDS}
    matrix: {bs: [4k, 16k, 64k], numjobs: [1, 2]}
YAML
  kubectl wait --namespace "$NAMESPACE" storagebenchmark/matrix --for=condition=Succeeded --timeout=10m >/dev/null
  kubectl get --namespace "$NAMESPACE" storagebenchmark/matrix --output json | WHOLE=$(since "$began") BEYOND=$beyond python3 -c '
import datetime, json, os, sys
status = json.load(sys.stdin)["status"]
at = lambda text: datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
runs = status["runs"]
fio = sum(run["result"]["elapsedMilliseconds"] / 1000 + float(os.environ["BEYOND"]) for run in runs)
began, ended = at(runs[0]["startTime"]), at(runs[-1]["completionTime"])
measuring, whole = (ended - began).total_seconds(), float(os.environ["WHOLE"])
first = (began - at(status["startTime"])).total_seconds()
print(f"{len(runs)} runs: {whole:.1f} s in all, of which {fio:.1f} s are fio itself: {(whole - fio) / len(runs):.2f} s beside it for each run")
print(f"volumes and anchor {first:.0f} s, runs {measuring:.0f} s ({(measuring - fio) / len(runs):.2f} s beside fio for each), clean-up {whole - first - measuring:.0f} s")'
  kubectl delete --namespace "$NAMESPACE" storagebenchmark matrix >/dev/null
}

IMAGE=$(runner_image)
readonly IMAGE
kubectl create namespace "$NAMESPACE" >/dev/null
trap cleanup EXIT

if [[ ${1:-} == matrix ]]; then
  matrix
  exit
fi

# Prints what the medians of two lists of seconds are beside each other: "what", and the names of the lists.
compare() {
  local -n ours_of=$2 plain_of=$3
  local a b
  a=$(printf '%s\n' "${ours_of[@]}" | median)
  b=$(printf '%s\n' "${plain_of[@]}" | median)
  awk -v what="$1" -v a="$a" -v b="$b" -v fio="$FIO_SECONDS" 'BEGIN {
    printf "%s: median %.2f s against %.2f s, ratio %.2f; beside fio itself %.2f s against %.2f s\n", what, a, b, a / b, a - fio, b - fio }'
}

our_results=() our_ends=() plain_results=() plain_ends=()
read -r cpu_before _ <<<"$(operator_usage)"
echo "round  StorageBenchmark: result, all removed  plain Job: complete, all removed"
for ((round = 1; round <= ROUNDS; round++)); do
  took=$(benchmark)
  read -r ours our_end <<<"$took"
  took=$(plain_job)
  read -r plain plain_end <<<"$took"
  our_results+=("$ours") our_ends+=("$our_end") plain_results+=("$plain") plain_ends+=("$plain_end")
  printf '%5d  %24s s  %9s s  %18s s  %9s s\n' "$round" "$ours" "$our_end" "$plain" "$plain_end"
done
read -r cpu_after memory <<<"$(operator_usage)"

compare "result" our_results plain_results
compare "result, and all removed" our_ends plain_ends
awk -v before="$cpu_before" -v after="$cpu_after" -v n="$ROUNDS" -v memory="$memory" 'BEGIN {
  printf "operator: %.0f ms of CPU a benchmark, %.0f MiB of memory\n", (after - before) * 1000 / n, memory / 1048576 }'
