{{- define "triptych.name" -}}
{{- if contains "triptych" .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-triptych" .Release.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "triptych.selector" -}}
app.kubernetes.io/name: triptych
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "triptych.labels" -}}
{{ include "triptych.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}

{{- define "triptych.image" -}}
{{- with .Values.image }}{{ if .digest }}{{ .repository }}@{{ .digest }}{{ else }}{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}{{ end }}
{{- end }}

{{/* A pod runs as the image's user, without a capability, and writes to /tmp and to the folder of files only. */}}
{{- define "triptych.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
volumes:
  - name: tmp
    emptyDir: { sizeLimit: 1Gi }
  - name: data
    {{- if .Values.files.existingClaim }}
    persistentVolumeClaim: { claimName: {{ .Values.files.existingClaim }} }
    {{- else }}
    emptyDir: { sizeLimit: 64Mi }
    {{- end }}
{{- end }}

{{- define "triptych.container" -}}
image: {{ include "triptych.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  readOnlyRootFilesystem: true
  allowPrivilegeEscalation: false
  capabilities: { drop: [ALL] }
volumeMounts:
  - { name: tmp, mountPath: /tmp }
  - { name: data, mountPath: /data }
{{- end }}

{{- define "triptych.env" -}}
- { name: PUBLIC_URL, value: {{ .Values.publicUrl | quote }} }
- { name: MIGRATE_ON_START, value: "false" }
{{- with .Values.tracing }}
{{- if .endpoint }}
- { name: OTEL_EXPORTER_OTLP_ENDPOINT, value: {{ .endpoint | quote }} }
- { name: OTEL_SERVICE_NAME, value: {{ .serviceName | quote }} }
- { name: OTEL_TRACES_SAMPLER_ARG, value: {{ .share | quote }} }
{{- end }}
{{- end }}
{{- range $name, $value := .Values.env }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- end }}
