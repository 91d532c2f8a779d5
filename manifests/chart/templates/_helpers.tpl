{{- define "gpudra.labels" -}}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/part-of: gpudra
app.kubernetes.io/version: {{ .Chart.AppVersion }}
{{- end }}

{{/* Takes the whole of the values and the component's own. */}}
{{- define "gpudra.image" -}}
image: {{ .component.image.repository }}:{{ include "gpudra.imageTag" . }}{{ with .component.image.digest }}@{{ . }}{{ end }}
{{- with .Values.image.pullPolicy }}
imagePullPolicy: {{ . }}
{{- end }}
{{- end }}

{{- define "gpudra.logArgs" -}}
- --log-level={{ include "gpudra.logLevel" . }}
- --log-format={{ .Values.log.format }}
{{- end }}

{{/* Where a component's pods may run, and how much they matter. */}}
{{- define "gpudra.scheduling" -}}
{{- with .priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .topologySpreadConstraints }}
topologySpreadConstraints:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "gpudra.probes" -}}
{{- range $name, $path := dict "startupProbe" "/healthz" "livenessProbe" "/healthz" "readinessProbe" "/readyz" }}
{{ $name }}:
  httpGet:
    path: {{ $path }}
    port: probes
  {{- with index $ $name }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}
{{- end }}
