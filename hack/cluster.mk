# The local cluster: real Kubernetes nodes on this machine, with block volumes.
# Included by the top Makefile; stands alone too: make -f hack/cluster.mk cluster-up

CLUSTER_HACK := $(patsubst %/,%,$(dir $(abspath $(lastword $(MAKEFILE_LIST)))))
CLUSTER_ROOT := $(patsubst %/,%,$(dir $(CLUSTER_HACK)))

LOCALCLUSTER       := $(CLUSTER_ROOT)/.cluster/bin/localcluster
CLUSTER_KUBECONFIG := $(CLUSTER_ROOT)/.cluster/kubeconfig

# S3=1 adds S3 volumes to the cluster: an S3 server, the CSI driver and Mountpoint, which
# needs cargo and some minutes to build, once.
S3 ?=

# How many nodes the cluster has at least: all of this machine, in one zone. More are added
# to a cluster that runs, and none is taken away before cluster-down.
NODES ?=

CLUSTER_PACKAGE_LISTS := $(CLUSTER_ROOT)/test/localcluster/packages.txt $(if $(filter 1,$(S3)),$(CLUSTER_ROOT)/test/localcluster/packages-s3.txt)
CLUSTER_PACKAGES      := $(shell grep --no-filename --invert-match '^\#' $(CLUSTER_PACKAGE_LISTS))

# Image tarballs for cluster-load.
IMAGES ?=

# What the local cluster consists of, beside localcluster itself.
CLUSTER_PROGRAMS := etcd kube-apiserver kube-controller-manager kube-proxy kube-scheduler kubectl kubelet

.PHONY: cluster-packages
cluster-packages: ## Install the Debian packages the local cluster needs.
	@$(CLUSTER_HACK)/step.sh "Debian packages" $(CLUSTER_HACK)/debian-packages.sh $(CLUSTER_PACKAGES)

# Always asked for, because Go knows best whether there is something to build.
.PHONY: $(LOCALCLUSTER)
$(LOCALCLUSTER):
	@cd $(CLUSTER_ROOT)/test/localcluster && CGO_ENABLED=0 GOWORK=off $(CLUSTER_HACK)/step.sh localcluster $(CLUSTER_HACK)/program.sh $(@D) go build -trimpath -buildvcs=false -o $@ .

.PHONY: cluster-programs
cluster-programs: $(LOCALCLUSTER) ## Download or build Kubernetes, etcd and Helm, kept in the user's cache.
	@$(CLUSTER_HACK)/step.sh "Kubernetes and Helm" $(LOCALCLUSTER) binaries $(CLUSTER_PROGRAMS) helm >/dev/null

.PHONY: cluster-up
cluster-up: cluster-packages $(LOCALCLUSTER) ## Start the local cluster, or heal it (S3=1: with S3 volumes; NODES=2: with two nodes).
	@$(CLUSTER_HACK)/step.sh "the cluster" $(LOCALCLUSTER) up $(if $(filter 1,$(S3)),--s3) $(if $(NODES),--nodes $(NODES))

.PHONY: cluster-down
cluster-down: $(LOCALCLUSTER) ## Stop the local cluster and restore the machine.
	@$(LOCALCLUSTER) down

.PHONY: cluster-status
cluster-status: $(LOCALCLUSTER) ## Show the local cluster; fails when it is not healthy.
	@$(LOCALCLUSTER) status

.PHONY: cluster-load
cluster-load: $(LOCALCLUSTER) ## Load image tarballs into all nodes: make cluster-load IMAGES="a.tar b.tar"
	@$(LOCALCLUSTER) load $(IMAGES)
