{{- define "ticketing.labels" -}}
app.kubernetes.io/name: ticketing
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "ticketing.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "ticketing.environment" -}}
env:
  {{- range $name, $value := .Values.settings }}
  - {name: {{ $name }}, value: {{ $value | quote }}}
  {{- end }}
envFrom:
  - secretRef: {name: {{ .Values.secret }}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
volumeMounts:
  - {name: tmp, mountPath: /tmp}
  - {name: var, mountPath: /var/lib/ticketing}
  {{- if .Values.media.claim }}
  - {name: media, mountPath: /var/lib/ticketing/media}
  {{- end }}
{{- end }}

{{- define "ticketing.pod" -}}
securityContext: {runAsNonRoot: true, runAsUser: 10001, fsGroup: 10001, seccompProfile: {type: RuntimeDefault}}
automountServiceAccountToken: false
volumes:
  - {name: tmp, emptyDir: {}}
  - {name: var, emptyDir: {}}
  {{- if .Values.media.claim }}
  - {name: media, persistentVolumeClaim: {claimName: {{ .Values.media.claim }}}}
  {{- end }}
{{- end }}
