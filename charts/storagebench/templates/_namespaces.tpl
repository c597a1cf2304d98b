{{/*
The operator's rules but for what has no namespace, so that both modes have one source. test/chart compares the list with
what an API server says.
*/}}
{{- define "storagebench.namespacedRules" -}}
{{- $cluster := list "csidrivers" "csinodes" "nodes" "persistentvolumes" "storageclasses" "volumeattributesclasses" }}
{{- $rules := list }}
{{- range (include "storagebench.rules" (list "operator-role.yaml" .) | fromYamlArray) }}
{{- $resources := list }}
{{- range .resources }}
{{- if not (has . $cluster) }}
{{- $resources = append $resources . }}
{{- end }}
{{- end }}
{{- if $resources }}
{{- $rules = append $rules (merge (dict "resources" $resources) .) }}
{{- end }}
{{- end }}
{{- toYaml $rules }}
{{- end }}

{{/* Arguments of the operator that say in which namespaces it works. */}}
{{- define "storagebench.namespaceArgs" -}}
{{- if and .Values.watchNamespaces .Values.excludeNamespaces }}
{{- fail "excludeNamespaces is for an operator of the whole cluster: remove it, or watchNamespaces" }}
{{- end }}
{{- with .Values.watchNamespaces }}
- --watch-namespaces={{ join "," . }}
{{- end }}
{{- with .Values.excludeNamespaces }}
- --exclude-namespaces={{ join "," . }}
{{- end }}
{{- end }}
