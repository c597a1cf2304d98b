{{/* Name of the application in labels. */}}
{{- define "storagebench.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" }}
{{- end }}

{{/* Prefix of the names of objects: the release's name, and the chart's if that does not contain it. 40 characters leave room for suffixes. */}}
{{- define "storagebench.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" }}
{{- else if contains (include "storagebench.name" .) .Release.Name }}
{{- .Release.Name | trunc 40 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name (include "storagebench.name" .) | trunc 40 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{/* Labels that never change in the life of a release. */}}
{{- define "storagebench.selectorLabels" -}}
app.kubernetes.io/name: {{ include "storagebench.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{/* Labels that select the operator's pods. */}}
{{- define "storagebench.operatorLabels" -}}
{{ include "storagebench.selectorLabels" . }}
app.kubernetes.io/component: operator
{{- end }}

{{/* Labels of the operator's pods. Those that select them win. */}}
{{- define "storagebench.podLabels" -}}
{{ merge (include "storagebench.operatorLabels" . | fromYaml) .Values.podLabels .Values.commonLabels | toYaml }}
{{- end }}

{{/* Labels of the chart itself, on every object. */}}
{{- define "storagebench.chartLabels" -}}
{{ include "storagebench.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{/* Labels of every object. */}}
{{- define "storagebench.labels" -}}
{{ merge (include "storagebench.chartLabels" . | fromYaml) .Values.commonLabels | toYaml }}
{{- end }}

{{/* Name of the operator's ServiceAccount. */}}
{{- define "storagebench.serviceAccountName" -}}
{{- if .Values.serviceAccount.create }}
{{- default (printf "%s-operator" (include "storagebench.fullname" .)) .Values.serviceAccount.name }}
{{- else }}
{{- default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{/* Reference of an image. Takes a list: the image's values, and the root. */}}
{{- define "storagebench.image" -}}
{{- $image := index . 0 }}
{{- $root := index . 1 }}
{{- if $image.digest }}
{{- printf "%s@%s" $image.repository $image.digest }}
{{- else }}
{{- printf "%s:%s" $image.repository (default $root.Chart.AppVersion $image.tag) }}
{{- end }}
{{- end }}

{{/* Rules of a role in files/, which are copies from config/rbac. Takes a list: the file's name, and the root. */}}
{{- define "storagebench.rules" -}}
{{- $file := index . 0 }}
{{- $root := index . 1 }}
{{- (required (printf "the chart is incomplete: it has no files/%s" $file) ($root.Files.Get (printf "files/%s" $file)) | fromYaml).rules | toYaml }}
{{- end }}
