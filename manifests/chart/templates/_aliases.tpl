{{/* Values of NVIDIA's chart, and what each says of this one: "" stands for every value as it is. */}}

{{- define "gpudra.devices" -}}
{{- include "gpudra.agreed" (dict "values" .Values "own" "kubeletPlugin.devices" "default" "fake" "aliases" (dict
  "gpuResourcesEnabledOverride" (dict "true" "nvidia")
  "resources.gpus.enabled"      (dict "true" "nvidia")
)) }}
{{- end }}

{{- define "gpudra.driverRoot" -}}
{{- include "gpudra.agreed" (dict "values" .Values "own" "kubeletPlugin.driverRoot" "default" "" "aliases" (dict
  "nvidiaDriverRoot" (dict "" "")
)) }}
{{- end }}

{{/* 4 is the default of NVIDIA's chart. */}}
{{- define "gpudra.logLevel" -}}
{{- include "gpudra.agreed" (dict "values" .Values "own" "log.level" "default" "info" "aliases" (dict
  "logVerbosity" (dict "0" "info" "1" "info" "2" "info" "3" "info" "4" "info" "5" "debug" "6" "debug" "7" "trace")
)) }}
{{- end }}

{{- define "gpudra.imageTag" -}}
{{- ternary "" .Values.image.tag (eq (include "gpudra.hasNvidiaImage" .) "true") | default .Chart.AppVersion }}
{{- end }}

{{- define "gpudra.hasNvidiaImage" -}}
{{- hasSuffix "k8s-dra-driver-gpu" (include "gpudra.said" (list .Values "image.repository")) }}
{{- end }}

{{- define "gpudra.refuseAliases" -}}
{{- range list
  (list "resources.computeDomains.enabled" "true" "there are no compute domains in this driver")
  (list "resources-computeDomains.enabled" "true" "there are no compute domains in this driver")
  (list "resources.gpus.enabled" "false" "this driver serves GPUs and nothing else")
}}
{{- if eq (include "gpudra.said" (list $.Values (index . 0))) (index . 1) }}
{{- fail (printf "%s=%s: %s; leave the value out" (index . 0) (index . 1) (index . 2)) }}
{{- end }}
{{- end }}
{{- $repository := include "gpudra.said" (list .Values "image.repository") }}
{{- if and $repository (eq (include "gpudra.hasNvidiaImage" .) "false") }}
{{- fail (printf "image.repository=%s: this driver has two images, controller.image.repository and kubeletPlugin.image.repository" $repository) }}
{{- end }}
{{- end }}

{{/* What own value and aliases say; the own one says nothing where it has its default. */}}
{{- define "gpudra.agreed" -}}
{{- $own := include "gpudra.said" (list .values .own) }}
{{- $meant := list }}
{{- $said := list }}
{{- if ne $own .default }}
{{- $meant = list $own }}
{{- $said = list (printf "%s=%s" .own $own) }}
{{- end }}
{{- range $name, $meaning := .aliases }}
{{- $value := include "gpudra.said" (list $.values $name) }}
{{- $means := ternary $value (get $meaning $value) (hasKey $meaning "") }}
{{- if $means }}
{{- $meant = append $meant $means | uniq }}
{{- $said = append $said (printf "%s=%s" $name $value) }}
{{- end }}
{{- end }}
{{- if gt (len $meant) 1 }}
{{- fail (printf "%s disagree; leave out all but one" (join " and " $said)) }}
{{- end }}
{{- first (append $meant .default) }}
{{- end }}

{{/* The value of a dotted name as text, empty where there is none. */}}
{{- define "gpudra.said" -}}
{{- $value := index . 0 }}
{{- range splitList "." (index . 1) }}
{{- $value = get ($value | default dict) . }}
{{- end }}
{{- $value }}
{{- end }}
