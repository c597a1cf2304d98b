#!/usr/bin/env bash
# The first result, from nothing: a cluster, the operator, a sample benchmark and its table.
#
# Starts the local cluster, installs the operator, and compares a gp3 volume with EFS, or what stands in for them there.
# What it needs is downloaded or built once, and kept: a run that was interrupted goes on where it was. With EXISTING_CLUSTER=1 it uses the cluster of KUBECONFIG instead, builds
# no more than Helm and our own programs, of which it needs the kubectl plugin, and takes the images from OPERATOR_IMAGE and RUNNER_IMAGE, or else the chart's own. There it measures the default
# class. STORAGE_CLASS chooses another one to measure.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly CLASS_SAMPLE=config/samples/quickstart.yaml
readonly LOCAL_SAMPLES=config/samples-local
readonly NAMESPACE=default
readonly DEADLINE_SECONDS=${QUICKSTART_TIMEOUT:-600}

# Tells what begins, when, and what is still to come.
steps=0
step() { printf '\n==> [%d/%d, %s] %s\n' $((++steps)) "$STEPS" "$(elapsed)" "$*"; }

elapsed() { printf '%d min %02d s' $((SECONDS / 60)) $((SECONDS % 60)); }

fail() {
  echo "quickstart: $*" >&2
  exit 1
}

# What it takes where nothing is there yet and nothing can be downloaded: docs/contributing/testing.md has the figures of each step.
readonly CPU_MINUTES=20

# Says at once what would fail after minutes.
check() {
  [[ -n ${HOME:-} ]] || fail "HOME is not set; what is built is kept below it"
  command -v go >/dev/null || fail "go is not in PATH; $(awk '$1 == "go" { print "Go " $2 }' go.mod) or later is needed: https://go.dev/dl"
  [[ ${EXISTING_CLUSTER:-} == 1 ]] || ((EUID == 0)) ||
    fail "a local cluster needs root; for a cluster that you have: make quickstart EXISTING_CLUSTER=1"
}

expect() {
  local cores
  cores=$(nproc)
  if [[ ${EXISTING_CLUSTER:-} == 1 ]]; then
    echo "The cluster of KUBECONFIG is used. Helm and the kubectl plugin are built first: some minutes the first time, then seconds."
  elif compgen -G "${XDG_CACHE_HOME:-$HOME/.cache}/storagebench/kubernetes-*/kubelet" >/dev/null; then
    echo "Kubernetes is there already: this takes about a minute, and more after a change of versions."
  else
    echo "First time, on $cores cores: about $((8 / cores + 2)) minutes where Kubernetes can be downloaded, else about $((CPU_MINUTES / cores + 2)) minutes to build it. Then a minute."
  fi
}

# Prints helm's arguments for an image: image_values operator registry/path:tag (or @sha256:...).
image_values() {
  local component=$1 image=$2 name
  case $image in
    *@*) printf '%s\n' --set "$component.image.repository=${image%@*}" --set "$component.image.digest=${image#*@}" ;;
    *)
      name=${image##*/} # a colon before the last slash belongs to a port
      [[ $name == *:* ]] || fail "image $image has no tag"
      printf '%s\n' --set "$component.image.repository=${image%:*}" --set-string "$component.image.tag=${image##*:}"
      ;;
  esac
}

install_operator() {
  if [[ ${EXISTING_CLUSTER:-} != 1 ]]; then
    make deploy
    return
  fi
  make build
  local -a values=()
  [[ -z ${OPERATOR_IMAGE:-} ]] || mapfile -t -O "${#values[@]}" values < <(image_values operator "$OPERATOR_IMAGE")
  [[ -z ${RUNNER_IMAGE:-} ]] || mapfile -t -O "${#values[@]}" values < <(image_values runner "$RUNNER_IMAGE")
  hack/step.sh "the operator" hack/helm.sh upgrade --install storagebench charts/storagebench --namespace storagebench-system --create-namespace \
    --wait --timeout 5m --hide-notes "${values[@]}"
}

use_kubectl() {
  if [[ ${EXISTING_CLUSTER:-} == 1 ]]; then
    command -v kubectl >/dev/null || fail "kubectl is not in PATH"
    return
  fi
  PATH="$PWD/bin:$(.cluster/bin/localcluster binaries kubectl):$PATH"
  export PATH KUBECONFIG=$PWD/.cluster/kubeconfig
}

default_class() {
  kubectl get storageclass --output \
    jsonpath='{range .items[?(@.metadata.annotations.storageclass\.kubernetes\.io/is-default-class=="true")]}{.metadata.name}{"\n"}{end}' |
    head -n 1
}

# Prints the benchmark to apply.
sample() {
  local class=${STORAGE_CLASS:-}
  if [[ -z $class && ${EXISTING_CLUSTER:-} != 1 ]]; then
    kubectl kustomize "$LOCAL_SAMPLES" | awk -v RS='---\n' '/\n    experiment: e1\n/'
    return
  fi
  [[ -n $class ]] || class=$(default_class)
  [[ -n $class ]] || fail "the cluster has no default StorageClass; choose one of: kubectl get storageclass; make quickstart STORAGE_CLASS=NAME"
  sed "s/storageClassName: .*/storageClassName: $class/" "$CLASS_SAMPLE"
}

check
expect
if [[ ${EXISTING_CLUSTER:-} == 1 ]]; then
  readonly STEPS=3
else
  readonly STEPS=5
  step "Programs: Kubernetes, Helm, the operator"
  make -j2 images
  step "Cluster"
  make cluster-up
fi

step "Operator"
install_operator
use_kubectl

step "Benchmark"
benchmark=$(sample)
NAME=$(kubectl create --dry-run=client --output name --filename - <<<"$benchmark" | cut -d / -f 2)
readonly NAME
hack/step.sh "removing an earlier benchmark" kubectl delete storagebenchmark "$NAME" --namespace "$NAMESPACE" --ignore-not-found --timeout 3m
echo "$benchmark"
timeout "$DEADLINE_SECONDS" bin/kubectl-storagebench run --namespace "$NAMESPACE" --filename - <<<"$benchmark" ||
  fail "the benchmark did not end well within $DEADLINE_SECONDS s"

step "Result"
kubectl get storagebenchmark "$NAME" --namespace "$NAMESPACE"
echo
echo "All of it took $(elapsed). Next: docs/tour.md"
