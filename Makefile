# All that is done with this repository, by "make help".
#
# Tools are Go modules below hack/tools, so that each has an exact version, nothing is installed outside of Go's
# caches, and a second run finds them built.

SHELL       := bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS   += --no-builtin-rules --no-print-directory
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

ifneq ($(words $(CURDIR)),1)
$(error make cannot work in a directory whose path has a space: $(CURDIR))
endif

ROOT  := $(patsubst %/,%,$(dir $(abspath $(firstword $(MAKEFILE_LIST)))))
CHART := charts/storagebench

# The version that binaries report: the chart's, until a release says otherwise.
VERSION ?= $(shell awk '$$1 == "appVersion:" { print $$2 }' $(CHART)/Chart.yaml)
LDFLAGS := -s -w -X main.version=$(VERSION)

# One set of flags for all that is compiled, tests and tools too: what differs in one is compiled again. Which modules are
# taken is for this project's go.mod files to say, and not for what a user has set, or for a go.work above.
export CGO_ENABLED := 0
export GOFLAGS     := $(strip $(filter-out -trimpath -mod=% -modfile=%,$(shell go env GOFLAGS)) -trimpath)
export GOWORK      := off

tool = go tool -modfile=$(ROOT)/hack/tools/$(1)/go.mod $(1)

# golangci-lint with kube-api-linter compiled in: its own main would be compiled and run beside it.
golangci-lint = go tool -modfile=$(ROOT)/hack/tools/golangci-lint/go.mod golangci-lint-kube-api-linter

# Modules with code of this project.
MODULES := . test/localcluster hack/images hack/monitoring test/browser

# Where "make test" and "make test-e2e" are cut off, should a test hang.
TEST_TIMEOUT     ?= 25m
TEST_E2E_TIMEOUT ?= 40m

# Where the output of a test command is kept: $(call log,NAME).
log = $(shell mkdir -p $(ROOT)/dist/log)$(ROOT)/dist/log/$(1).json

-include hack/cluster.mk

##@ Use

.PHONY: quickstart
quickstart: ## First result: cluster, operator and a sample benchmark (EXISTING_CLUSTER=1: in the cluster of KUBECONFIG).
	@hack/quickstart.sh

.PHONY: help
help: ## Show this list.
	@awk 'BEGIN { FS = ":.*## " } \
	  /^##@ / { printf "\n%s\n", substr($$0, 5) } \
	  FILENAME != last && FILENAME ~ /cluster\.mk$$/ { printf "\nLocal cluster\n" } { last = FILENAME } \
	  /^[a-z0-9-]+:.*## / { printf "  %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

##@ Build

.PHONY: build
build: ## Build manager, runner and the kubectl plugin into bin/, where storagebench is a link to the plugin.
	@hack/step.sh "manager, runner and plugin" hack/program.sh bin go build -buildvcs=false -ldflags '$(LDFLAGS)' -o bin/ ./cmd/...
	@ln -sf kubectl-storagebench bin/storagebench

# The fio that the Dockerfile takes is unpacked by readelf and apt-get, which are there after cluster-packages.
.PHONY: fio-tree
fio-tree: cluster-packages
	@hack/step.sh "fio" hack/images/fio-tree.sh >/dev/null

# One build after the other, because each keeps all cores busy, and beside them what waits for the network.
.PHONY: programs
programs: cluster-programs
	@$(MAKE) build

# The tag is made from the content, so that a cluster that has the images already need not load them, and one that has
# others restarts the operator.
.PHONY: images
images: fio-tree programs ## Make both images from bin/ and Debian's fio, into dist/, for the local cluster: docs/images.md.
	@hack/images/local.sh $(LOCALCLUSTER) bin dist
	@echo "images ghcr.io/storagebench/operator and ghcr.io/storagebench/runner, tag $$(cat dist/tag): dist/operator.tar, dist/runner.tar"

.PHONY: list-images
list-images: ## Print the images that the chart's defaults use, for mirroring (VALUES="--set ..."): docs/images.md.
	@hack/images/list.sh $(VALUES)

.PHONY: release
release: ## Chart, manifests, images for all platforms, bills of materials and checksums, in dist/release: docs/images.md.
	@hack/images/release.sh dist/release

.PHONY: clean
clean: ## Remove what was built. Stops the local cluster first.
	@if [[ -d .cluster ]]; then $(MAKE) cluster-down; fi
	rm -rf bin dist

##@ Develop

.PHONY: generate
generate: ## Regenerate all generated files: deepcopy, CRD, RBAC, the chart's copies, schema, dashboard and README, docs/reference.md, the report's script, what AWS takes, THIRD_PARTY_LICENSES.
	$(call tool,controller-gen) object paths=./api/...
	$(call tool,controller-gen) crd paths=./api/... output:crd:dir=config/crd/bases
	@# Quantities have no exponent: of those that their pattern admits, 1e1.5 cannot be parsed, and 1e2147483647 does not end.
	sed -i 's#|(\[eE\](\\+|-)?((\[0-9\]+(\\\.\[0-9\]\*)?)|(\\\.\[0-9\]+)))##' config/crd/bases/*.yaml
	@# What has no bound gets one, such as what is in an affinity.
	go run ./hack/crdbounds config/crd/bases/*.yaml
	$(call tool,controller-gen) rbac:roleName=operator paths=./controllers/... output:rbac:dir=config/rbac
	rm -rf $(CHART)/files/crds && cp -r config/crd/bases $(CHART)/files/crds
	cp config/rbac/role.yaml                          $(CHART)/files/operator-role.yaml
	cp config/rbac/leader_election_role.yaml          $(CHART)/files/leader-election-role.yaml
	cp config/rbac/storagebenchmark_editor_role.yaml  $(CHART)/files/editor-role.yaml
	cp config/rbac/storagebenchmark_installer_role.yaml $(CHART)/files/installer-role.yaml
	cp config/rbac/storagebenchmark_viewer_role.yaml  $(CHART)/files/viewer-role.yaml
	cp config/admission/policy.yaml                   $(CHART)/files/admission-policy.yaml
	go run ./hack/chartschema $(CHART)/values.yaml > $(CHART)/values.schema.json
	cd hack/monitoring && go run . > $(ROOT)/$(CHART)/files/dashboard.json
	rm -f $(CHART)/README.md # helm-docs ends with exit code 0 where it wrote none
	$(call tool,helm-docs) --chart-search-root $(CHART) --sort-values-order file --log-level warning
	test -s $(CHART)/README.md
	$(call tool,crd-ref-docs) --config hack/tools/crd-ref-docs/config.yaml --templates-dir hack/tools/crd-ref-docs/templates --source-path api \
	  --renderer markdown --output-path docs/reference.md --log-level ERROR
	hack/report-assets.sh
	hack/awsshapes/generate.sh
	hack/licenses.sh > THIRD_PARTY_LICENSES.new && mv THIRD_PARTY_LICENSES.new THIRD_PARTY_LICENSES

.PHONY: verify
verify: ## Fail if a generated file is out of date, a go.mod untidy or a file not formatted.
	@hack/verify.sh $(MODULES)

.PHONY: fmt
fmt: ## Format Go files.
	@for module in $(MODULES); do (cd $$module && $(golangci-lint) fmt --config $(ROOT)/.golangci.yml); done

.PHONY: lint
lint: ## Lint Go files, shell scripts and GitHub's workflows.
	@failed=0; for module in $(MODULES); do \
	  echo "golangci-lint $$module"; \
	  (cd $$module && $(golangci-lint) run --allow-serial-runners --config $(ROOT)/.golangci.yml) || failed=1; \
	done; exit $$failed
	@for script in hack/*.sh hack/*/*.sh .ci/run; do bash -n "$$script"; done
	@$(call tool,actionlint) -shellcheck= -pyflakes= -config-file .github/actionlint.yaml .github/workflows/*.yml

# Limits only go down.
.PHONY: knots
knots: ## Fail if more than a few files of the controllers, or any of internal/fio, refer to each other, or a type of theirs offers too many methods.
	@go run ./hack/knots -files 8 -methods 60 ./controllers/...
	@go run ./hack/knots -files 1 ./internal/fio

.PHONY: lint-fix
lint-fix: ## Fix what the Go linters can fix by themselves.
	@for module in $(MODULES); do (cd $$module && $(golangci-lint) run --allow-serial-runners --fix --config $(ROOT)/.golangci.yml) || true; done

.PHONY: chart-lint
chart-lint: ## Lint the chart and render it with its defaults and with each values file of charts/storagebench/ci.
	@for values in $(CHART)/values.yaml $(CHART)/ci/*.yaml; do \
	  hack/step.sh "helm lint" hack/helm.sh lint --strict --quiet $(CHART) --values "$$values"; \
	  hack/helm.sh template storagebench $(CHART) --namespace storagebench-system --values "$$values" > /dev/null; \
	  echo "chart with $$values: ok"; \
	done

.PHONY: chart-test
chart-test: ## Unit tests of the chart's templates: charts/storagebench/tests.
	@$(call tool,helm-unittest) --strict $(CHART)

##@ Test

# A table of what each holds and takes: docs/contributing/testing.md.
.PHONY: test
test: test-packages test-unit ## Unit tests, and tests against a real API server (envtest). Sets itself up.

.PHONY: check
check: ## What a contributor needs beside them: generated files, lint, the chart, the pages, the workflows.
	@for target in verify lint knots chart-lint chart-test test-around; do $(MAKE) $$target; done

.PHONY: test-all
test-all: ## Every test, in the order of what fails fastest. "make test" and "make check" are the first.
	@$(MAKE) test STORAGEBENCH_TEST_ALL=1
	@for target in check test-modules test-scale test-e2e test-images; do $(MAKE) $$target; done

# What starts first is needed first. Each of these targets builds it, too, where it is missing.
.PHONY: build-ahead
build-ahead: ## Build and install what test-e2e, test-modules, test-scale and test-images begin with. .ci/run does so while other tests wait.
	@$(MAKE) cluster-packages S3=1
	@$(MAKE) images
	@hack/step.sh "S3" $(LOCALCLUSTER) build-s3
	@hack/debian-packages.sh chromium
	@hack/scale.sh build
	@$(MAKE) image-layouts

.PHONY: test-packages
test-packages:
	@(command -v fio && command -v tmux && command -v readelf && command -v promtool) > /dev/null || \
	  hack/step.sh "Debian packages" hack/debian-packages.sh fio tmux binutils prometheus

# Whoever names an API server's programs has them used; else the local cluster's are. Tests run in other directories.
ifdef KUBEBUILDER_ASSETS
assets := realpath --canonicalize-existing "$$KUBEBUILDER_ASSETS"/{etcd,kube-apiserver,kubectl} > /dev/null && realpath "$$KUBEBUILDER_ASSETS" || \
  { echo "KUBEBUILDER_ASSETS has to name a directory of etcd, kube-apiserver and kubectl" >&2; exit 1; }
test-unit test-around test-modules: test-packages
else
assets := hack/step.sh "the API server" $(LOCALCLUSTER) binaries etcd kube-apiserver kubectl
test-unit test-around test-modules: test-packages $(LOCALCLUSTER)
endif

# around are tests of what is around the programs: the chart, these pages, GitHub's workflows.
around := chart docs workflows

# These tests wait a part of their time. So one more package is tested at the same time than there are processors. Those that take longest begin
# first: go test takes them in the order in which they are named.
.PHONY: test-unit
test-unit:
	@assets=$$($(assets)); fio=$$(hack/newer-fio.sh); others=$$(go list ./... | grep --invert-match $(around:%=-e '/test/%$$')); \
	KUBEBUILDER_ASSETS="$$assets" STORAGEBENCH_NEWER_FIO="$$fio" \
	  go run ./hack/gotest -log $(call log,test) -- -p $$(($$(nproc) + 1)) -timeout $(TEST_TIMEOUT) ./controllers ./test/hostile ./test/crash ./internal/runner ./internal/fio $$others

.PHONY: test-around
test-around: ## Tests of the chart, installed by Helm in a real API server, of these pages, and of GitHub's workflows.
	@assets=$$($(assets)); \
	KUBEBUILDER_ASSETS="$$assets" go run ./hack/gotest -log $(call log,around) -- -timeout $(TEST_TIMEOUT) $(around:%=./test/%)

# Go keeps results of tests, and does not see that a browser's pages are made by a program that has changed.
.PHONY: test-modules
test-modules: ## Tests of what the product is built and tested with: the local cluster, images, and reports in a browser.
	@command -v chromium > /dev/null || hack/step.sh Chromium hack/debian-packages.sh chromium
	@assets=$$($(assets)); failed=0; \
	for module in $(filter-out .,$(MODULES)); do \
	  echo "go test $$module"; \
	  [ $$module = test/browser ] && again=-count=1 || again=; \
	  KUBEBUILDER_ASSETS="$$assets" go run ./hack/gotest -C $$module -log $(call log,$$(basename $$module)) -- -timeout $(TEST_TIMEOUT) $$again ./... || failed=1; \
	done; exit $$failed

.PHONY: vuln
vuln: ## Known vulnerabilities in Go and in what is called of dependencies (VULNDB=file:///DIRECTORY: a copy of the database).
	@hack/vuln.sh $(MODULES)

.PHONY: image-layouts
image-layouts:
	@for platform in amd64 arm64; do \
	  VERSION=$(VERSION) hack/images/build.sh --platform linux/$$platform --oci dist/oci/$$platform; \
	done

.PHONY: test-images
test-images: images image-layouts ## Build the images for all platforms, and check what is in them and that they can be built again.
	@cd hack/images && STORAGEBENCH_IMAGES=$(ROOT)/dist/oci STORAGEBENCH_LOCAL_IMAGES=$(ROOT)/dist go test -count=1 -timeout $(TEST_TIMEOUT) .

.PHONY: fuzz
fuzz: ## Fuzz every fuzz test, a million executions each (FUZZTIME=30s, FUZZ=Guard): docs/contributing/testing.md.
	@hack/fuzz.sh

.PHONY: test-oldest
test-oldest: test-packages $(LOCALCLUSTER) ## The API and the controllers on the oldest Kubernetes that is supported, whose API server is built once.
	@hack/test-oldest.sh "$$(hack/step.sh "etcd and kubectl" $(LOCALCLUSTER) binaries etcd kubectl)"

.PHONY: test-scale
test-scale: $(LOCALCLUSTER) ## Many clients, and many benchmarks, on simulated nodes: what the operator does for each must not grow with their number.
	@hack/scale.sh check

.PHONY: scale
scale: ## Print what 1 to 100 clients take (10 minutes), and a fleet of 10,000 benchmarks (15 minutes): docs/contributing/scale.md.
	@hack/scale.sh
	@hack/scale.sh fleet

.PHONY: test-e2e
test-e2e: ## End-to-end tests on the local cluster, which stays up: make cluster-down. RUN=TestName selects tests, and leaves out the operator's rights.
	@$(MAKE) deploy S3=1 NODES=6
	@export KUBECONFIG=$(CLUSTER_KUBECONFIG) STORAGEBENCH_AUDIT_SINCE="$$(date --utc +%FT%TZ)"; \
	PATH="$$($(LOCALCLUSTER) binaries kubectl):$$PATH" \
	  STORAGEBENCH_LOCALCLUSTER=$(LOCALCLUSTER) \
	  STORAGEBENCH_BUCKET_DIRECTORY=$(ROOT)/.cluster/s3/storagebench-local \
	  STORAGEBENCH_FILE_SYSTEM_DIRECTORY=$(ROOT)/.cluster/efs/fs-0123456789abcdef0/data \
	  go run ./hack/gotest -each -log $(call log,e2e) -- -tags e2e -count=1 -timeout $(TEST_E2E_TIMEOUT) $(if $(RUN),-run '$(RUN)') ./test/e2e/...; \
	$(if $(RUN),,STORAGEBENCH_AUDIT_LOG=$(ROOT)/.cluster/log/audit.log go test -tags e2e -count=1 -v ./test/audit/...)

.PHONY: deploy
deploy: ## Build the operator and install it in the local cluster, over whatever is there.
	@$(MAKE) -j2 images
	@$(MAKE) cluster-up
	@$(MAKE) cluster-load IMAGES="dist/operator.tar dist/runner.tar"
	@KUBECONFIG=$(CLUSTER_KUBECONFIG) hack/step.sh "the operator" hack/helm.sh upgrade --install storagebench $(CHART) \
	  --namespace storagebench-system --create-namespace --wait --timeout 3m --hide-notes --take-ownership --force-conflicts \
	  --set operator.image.tag=$$(cat dist/tag) --set runner.image.tag=$$(cat dist/tag) \
	  --set runner.ebsMetricsURL=$$(sed -n 's|^ *server: https:\(.*\):[0-9]*$$|http:\1:3302/metrics|p' $(CLUSTER_KUBECONFIG))
