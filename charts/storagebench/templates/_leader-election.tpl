{{/* Arguments of the operator about leader election. */}}
{{- define "storagebench.leaderElectionArgs" -}}
- --leader-elect={{ .Values.leaderElection.enabled }}
{{- with .Values.leaderElection }}
{{- if .enabled }}
{{- if le (float64 .renewDeadlineSeconds) (mulf 1.2 .retryPeriodSeconds) }}
{{- fail (printf "leaderElection.renewDeadlineSeconds is %v, and must be more than 1.2 times retryPeriodSeconds, %v" .renewDeadlineSeconds .retryPeriodSeconds) }}
{{- end }}
{{- if le (int .leaseDurationSeconds) (int .renewDeadlineSeconds) }}
{{- fail (printf "leaderElection.leaseDurationSeconds is %v, and must be more than renewDeadlineSeconds, %v, or two operators could lead" .leaseDurationSeconds .renewDeadlineSeconds) }}
{{- end }}
- --leader-elect-lease-duration={{ .leaseDurationSeconds }}s
- --leader-elect-renew-deadline={{ .renewDeadlineSeconds }}s
- --leader-elect-retry-period={{ .retryPeriodSeconds }}s
{{- end }}
{{- end }}
{{- end }}
