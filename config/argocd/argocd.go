// Package argocd has what Argo CD is given to know StorageBenchmarks.
package argocd

import _ "embed"

// Health is the Lua script by which Argo CD knows how healthy a StorageBenchmark is: resource.customizations.health of its
// ConfigMap argocd-cm.
//
//go:embed health.lua
var Health string
