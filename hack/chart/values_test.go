package chart

const (
	deployment = "Deployment/gpudra-controller spec."
	daemonSet  = "DaemonSet/gpudra-kubeletplugin spec."
	pod        = "template.spec."
	controller = pod + "containers[controller]."
	plugin     = pod + "containers[kubeletplugin]."
)

// What each value changes when it is set.
var rows = []struct {
	set     string
	changes []string
	// What is set before and after.
	given string
}{
	{set: "driverName=fpga.resource.acme.com", changes: []string{
		daemonSet + plugin + `args: "--driver-name=gpu.resource.example.com" -> -`,
		daemonSet + plugin + `args: - -> "--driver-name=fpga.resource.acme.com"`,
		daemonSet + plugin + `volumeMounts[plugin].mountPath: "/var/lib/kubelet/plugins/gpu.resource.example.com" -> "/var/lib/kubelet/plugins/fpga.resource.acme.com"`,
		daemonSet + pod + `volumes[plugin].hostPath.path: "/var/lib/kubelet/plugins/gpu.resource.example.com" -> "/var/lib/kubelet/plugins/fpga.resource.acme.com"`,
		deployment + controller + `args: "--driver-name=gpu.resource.example.com" -> -`,
		deployment + controller + `args: - -> "--driver-name=fpga.resource.acme.com"`,
		`ResourceClass/gpu.example.com driverName: "gpu.resource.example.com" -> "fpga.resource.acme.com"`,
		`ResourceClass/single-pod-gpu.example.com driverName: "gpu.resource.example.com" -> "fpga.resource.acme.com"`,
		`Role/gpudra-controller rules: {"apiGroups":["coordination.k8s.io"],"resourceNames":["gpu.resource.example.com"],"resources":["leases"],"verbs":["get","update"]} -> -`,
		`Role/gpudra-controller rules: - -> {"apiGroups":["coordination.k8s.io"],"resourceNames":["fpga.resource.acme.com"],"resources":["leases"],"verbs":["get","update"]}`,
	}},
	{set: "kubeletDir=/data/kubelet", changes: []string{
		daemonSet + plugin + `args: "--kubelet-dir=/var/lib/kubelet" -> -`,
		daemonSet + plugin + `args: - -> "--kubelet-dir=/data/kubelet"`,
		daemonSet + plugin + `volumeMounts[plugin].mountPath: "/var/lib/kubelet/plugins/gpu.resource.example.com" -> "/data/kubelet/plugins/gpu.resource.example.com"`,
		daemonSet + plugin + `volumeMounts[registry].mountPath: "/var/lib/kubelet/plugins_registry" -> "/data/kubelet/plugins_registry"`,
		daemonSet + pod + `volumes[plugin].hostPath.path: "/var/lib/kubelet/plugins/gpu.resource.example.com" -> "/data/kubelet/plugins/gpu.resource.example.com"`,
		daemonSet + pod + `volumes[registry].hostPath.path: "/var/lib/kubelet/plugins_registry" -> "/data/kubelet/plugins_registry"`,
	}},
	{set: "cdiRoot=/etc/cdi", changes: []string{
		daemonSet + plugin + `args: "--cdi-root=/var/run/cdi" -> -`,
		daemonSet + plugin + `args: - -> "--cdi-root=/etc/cdi"`,
		daemonSet + plugin + `volumeMounts[cdi].mountPath: "/var/run/cdi" -> "/etc/cdi"`,
		daemonSet + pod + `volumes[cdi].hostPath.path: "/var/run/cdi" -> "/etc/cdi"`,
	}},
	{set: "image.tag=0.2.0", changes: []string{
		daemonSet + plugin + `image: "gpudra/kubeletplugin:0.1.0" -> "gpudra/kubeletplugin:0.2.0"`,
		deployment + controller + `image: "gpudra/controller:0.1.0" -> "gpudra/controller:0.2.0"`,
	}},
	{set: "image.pullPolicy=Always", changes: []string{
		daemonSet + plugin + `imagePullPolicy: - -> "Always"`,
		deployment + controller + `imagePullPolicy: - -> "Always"`,
	}},
	{set: "imagePullSecrets[0].name=pull", changes: []string{
		daemonSet + pod + `imagePullSecrets: - -> [{"name":"pull"}]`,
		deployment + pod + `imagePullSecrets: - -> [{"name":"pull"}]`,
	}},
	{set: "log.level=debug", changes: []string{
		daemonSet + plugin + `args: "--log-level=info" -> -`,
		daemonSet + plugin + `args: - -> "--log-level=debug"`,
		deployment + controller + `args: "--log-level=info" -> -`,
		deployment + controller + `args: - -> "--log-level=debug"`,
	}},
	{set: "log.format=json", changes: []string{
		daemonSet + plugin + `args: "--log-format=text" -> -`,
		daemonSet + plugin + `args: - -> "--log-format=json"`,
		deployment + controller + `args: "--log-format=text" -> -`,
		deployment + controller + `args: - -> "--log-format=json"`,
	}},
	{set: "taints.evict=true", changes: []string{
		`+ ClusterRole/gpudra-controller-evictions`,
		`+ ClusterRoleBinding/gpudra-controller-evictions`,
		deployment + controller + `args: - -> "--evict"`,
	}},
	{set: "gates.enabled=true", changes: []string{
		`+ ClusterRole/gpudra-controller-gates`,
		`+ ClusterRoleBinding/gpudra-controller-gates`,
		deployment + controller + `args: - -> "--gates"`,
		`+ ValidatingAdmissionPolicy/gpudra-controller-only-gates`,
		`+ ValidatingAdmissionPolicyBinding/gpudra-controller-only-gates`,
	}},
	{set: "gates.enabled=true", given: "webhook.enabled=true,gates.unguarded=true,", changes: []string{
		`+ ClusterRole/gpudra-controller-gates`,
		`+ ClusterRole/gpudra-controller-gates-webhook`,
		`+ ClusterRoleBinding/gpudra-controller-gates`,
		`+ ClusterRoleBinding/gpudra-controller-gates-webhook`,
		deployment + controller + `args: - -> "--gates"`,
		`+ MutatingWebhookConfiguration/gpudra-webhook`,
	}},
	{set: "gates.unguarded=true", given: "gates.enabled=true,", changes: []string{
		`- ValidatingAdmissionPolicy/gpudra-controller-only-gates`,
		`- ValidatingAdmissionPolicyBinding/gpudra-controller-only-gates`,
	}},
	{set: "gates.patience=1m", given: "gates.enabled=true,", changes: []string{
		deployment + controller + `args: - -> "--gate-patience=1m"`,
	}},
	{set: "gates.groupPatience=1m", given: "gates.enabled=true,", changes: []string{
		deployment + controller + `args: - -> "--group-patience=1m"`,
	}},
	{set: "gates.groupHold=1h", given: "gates.enabled=true,", changes: []string{
		deployment + controller + `args: - -> "--group-hold=1h"`,
	}},
	{set: "criticalPodsQuota.enabled=false", changes: []string{
		`- ResourceQuota/gpudra-critical-pods`,
	}},
	{set: "nvidiaClasses.enabled=true", changes: []string{
		`+ GpuClassParameters/gpu.nvidia.com`,
		`+ GpuClassParameters/mig.nvidia.com`,
		`+ ResourceClass/gpu.nvidia.com`,
		`+ ResourceClass/mig.nvidia.com`,
	}},
	{set: "webhook.enabled=true", changes: []string{
		`+ ClusterRole/gpudra-controller-webhook`,
		`+ ClusterRoleBinding/gpudra-controller-webhook`,
		deployment + controller + `env[WEBHOOK_PORT]: - -> {"name":"WEBHOOK_PORT","value":"8443"}`,
		deployment + controller + `ports[webhook]: - -> {"containerPort":8443,"name":"webhook"}`,
		`NetworkPolicy/gpudra spec.ingress: {"ports":[{"port":"metrics"}]} -> -`,
		`NetworkPolicy/gpudra spec.ingress: - -> {"ports":[{"port":"metrics"},{"port":"webhook"}]}`,
		`+ Role/gpudra-controller-webhook`,
		`+ RoleBinding/gpudra-controller-webhook`,
		`+ Secret/gpudra-webhook`,
		`+ Service/gpudra-webhook`,
		`+ ValidatingWebhookConfiguration/gpudra-webhook`,
	}},
	{set: "webhook.port=9443", given: "webhook.enabled=true,", changes: []string{
		deployment + controller + `env[WEBHOOK_PORT].value: "8443" -> "9443"`,
		deployment + controller + `ports[webhook].containerPort: 8443 -> 9443`,
	}},
	{set: "webhook.failurePolicy=Fail", given: "webhook.enabled=true,", changes: []string{
		`ValidatingWebhookConfiguration/gpudra-webhook webhooks[claims.gpu.resource.example.com].failurePolicy: "Ignore" -> "Fail"`,
		`ValidatingWebhookConfiguration/gpudra-webhook webhooks[parameters.gpu.resource.example.com].failurePolicy: "Ignore" -> "Fail"`,
	}},
	{set: "webhook.inventoriesFailurePolicy=Ignore", given: "webhook.enabled=true,", changes: nil},
	{set: "webhook.certManager.enabled=true", given: "webhook.enabled=true,", changes: []string{
		`+ Certificate/gpudra-webhook`,
		`- ClusterRole/gpudra-controller-webhook`,
		`- ClusterRoleBinding/gpudra-controller-webhook`,
		deployment + controller + `env[WEBHOOK_CERTIFICATES]: - -> {"name":"WEBHOOK_CERTIFICATES","value":"/certificates"}`,
		deployment + controller + `volumeMounts[certificates]: - -> {"mountPath":"/certificates","name":"certificates","readOnly":true}`,
		deployment + pod + `volumes[certificates]: - -> {"name":"certificates","secret":{"secretName":"gpudra-webhook"}}`,
		`+ Issuer/gpudra-webhook`,
		`- Role/gpudra-controller-webhook`,
		`- RoleBinding/gpudra-controller-webhook`,
		`- Secret/gpudra-webhook`,
		`ValidatingWebhookConfiguration/gpudra-webhook metadata.annotations: - -> {"cert-manager.io/inject-ca-from":"gpudra/gpudra-webhook"}`,
	}},
	{set: "webhook.certManager.issuerRef.name=ours", given: "webhook.enabled=true,webhook.certManager.enabled=true,", changes: []string{
		`Certificate/gpudra-webhook spec.issuerRef.kind: "Issuer" -> -`,
		`Certificate/gpudra-webhook spec.issuerRef.name: "gpudra-webhook" -> "ours"`,
		`- Issuer/gpudra-webhook`,
	}},
	{set: "metrics.podMonitor.enabled=true", changes: []string{
		`+ PodMonitor/gpudra-controller`,
		`+ PodMonitor/gpudra-kubeletplugin`,
	}},
	{set: "metrics.podMonitor.interval=5s", given: "metrics.podMonitor.enabled=true,", changes: []string{
		`PodMonitor/gpudra-controller spec.podMetricsEndpoints: {"interval":"30s","path":"/metrics","port":"metrics"} -> -`,
		`PodMonitor/gpudra-controller spec.podMetricsEndpoints: - -> {"interval":"5s","path":"/metrics","port":"metrics"}`,
		`PodMonitor/gpudra-kubeletplugin spec.podMetricsEndpoints: {"interval":"30s","path":"/metrics","port":"metrics"} -> -`,
		`PodMonitor/gpudra-kubeletplugin spec.podMetricsEndpoints: - -> {"interval":"5s","path":"/metrics","port":"metrics"}`,
	}},
	{set: "metrics.podMonitor.labels.release=prometheus", given: "metrics.podMonitor.enabled=true,", changes: []string{
		`PodMonitor/gpudra-controller metadata.labels.release: - -> "prometheus"`,
		`PodMonitor/gpudra-kubeletplugin metadata.labels.release: - -> "prometheus"`,
	}},
	{set: "metrics.nodePoolLabel=cloud.example.com/pool", changes: []string{
		deployment + controller + `args: - -> "--node-pool-label=cloud.example.com/pool"`,
	}},
	{set: "metrics.prometheusRule.enabled=true", changes: []string{
		`+ PrometheusRule/gpudra`,
	}},
	{set: "metrics.prometheusRule.labels.release=prometheus", given: "metrics.prometheusRule.enabled=true,", changes: []string{
		`PrometheusRule/gpudra metadata.labels.release: - -> "prometheus"`,
	}},
	{set: "metrics.dashboard.enabled=true", changes: []string{
		`+ ConfigMap/gpudra-dashboard`,
	}},
	{set: "metrics.dashboard.labels.team=gpu", given: "metrics.dashboard.enabled=true,", changes: []string{
		`ConfigMap/gpudra-dashboard metadata.labels.team: - -> "gpu"`,
	}},
	{set: "controller.image.repository=localhost/gpudra-controller", changes: []string{
		deployment + controller + `image: "gpudra/controller:0.1.0" -> "localhost/gpudra-controller:0.1.0"`,
	}},
	{set: "controller.replicas=3", changes: []string{
		deployment + `replicas: 2 -> 3`,
	}},
	{set: "controller.probePort=9090", changes: []string{
		deployment + controller + `args: "--probe-port=8081" -> -`,
		deployment + controller + `args: - -> "--probe-port=9090"`,
		deployment + controller + `ports[probes].containerPort: 8081 -> 9090`,
	}},
	{set: "controller.metricsPort=9090", changes: []string{
		deployment + controller + `args: "--metrics-port=8080" -> -`,
		deployment + controller + `args: - -> "--metrics-port=9090"`,
		deployment + controller + `ports[metrics].containerPort: 8080 -> 9090`,
	}},
	{set: "controller.priorityClassName=", changes: []string{
		deployment + pod + `priorityClassName: "system-cluster-critical" -> -`,
	}},
	{set: "controller.resources.limits.memory=1Gi", changes: []string{
		deployment + controller + `resources.limits.memory: "512Mi" -> "1Gi"`,
	}},
	{set: "controller.nodeSelector.role=infra", changes: []string{
		deployment + pod + `nodeSelector: - -> {"role":"infra"}`,
	}},
	{set: "controller.tolerations[0].operator=Exists", changes: []string{
		deployment + pod + `tolerations: - -> [{"operator":"Exists"}]`,
	}},
	{set: "controller.affinity.podAntiAffinity=null", changes: []string{
		deployment + pod + `affinity: {"podAntiAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"podAffinityTerm":{"labelSelector":{"matchLabels":{"app.kubernetes.io/name":"gpudra-controller"}},"topologyKey":"kubernetes.io/hostname"},"weight":100}]}} -> -`,
	}},
	{set: "controller.podAnnotations.team=gpu", changes: []string{
		deployment + `template.metadata.annotations: - -> {"team":"gpu"}`,
	}},
	{set: "controller.startupProbe.failureThreshold=90", changes: []string{
		deployment + controller + `startupProbe.failureThreshold: 60 -> 90`,
	}},
	{set: "controller.livenessProbe.timeoutSeconds=9", changes: []string{
		deployment + controller + `livenessProbe.timeoutSeconds: 5 -> 9`,
	}},
	{set: "controller.readinessProbe.periodSeconds=2", changes: []string{
		deployment + controller + `readinessProbe.periodSeconds: 5 -> 2`,
	}},
	{set: "kubeletPlugin.image.repository=localhost/gpudra-kubeletplugin", changes: []string{
		daemonSet + plugin + `image: "gpudra/kubeletplugin:0.1.0" -> "localhost/gpudra-kubeletplugin:0.1.0"`,
	}},
	{set: "kubeletPlugin.profile=a100:4", changes: []string{
		daemonSet + plugin + `args: - -> "--profile=a100:4"`,
	}},
	{set: "kubeletPlugin.devices=nvidia", changes: []string{
		daemonSet + plugin + `env[DEVICES].value: "fake" -> "nvidia"`,
		daemonSet + plugin + `env[NODE_ROOT]: - -> {"name":"NODE_ROOT","value":"/node"}`,
		daemonSet + plugin + `env[NVIDIA_VISIBLE_DEVICES]: - -> {"name":"NVIDIA_VISIBLE_DEVICES","value":"void"}`,
		daemonSet + plugin + `securityContext.allowPrivilegeEscalation: false -> -`,
		daemonSet + plugin + `securityContext.capabilities: {"drop":["ALL"]} -> -`,
		daemonSet + plugin + `securityContext.privileged: - -> true`,
		daemonSet + plugin + `volumeMounts[dev]: - -> {"mountPath":"/dev","name":"dev"}`,
		daemonSet + plugin + `volumeMounts[node]: - -> {"mountPath":"/node","mountPropagation":"HostToContainer","name":"node","readOnly":true}`,
		daemonSet + plugin + `volumeMounts[plugin].mountPropagation: - -> "Bidirectional"`,
		daemonSet + pod + `hostPID: - -> true`,
		daemonSet + pod + `volumes[dev]: - -> {"hostPath":{"path":"/dev","type":"Directory"},"name":"dev"}`,
		daemonSet + pod + `volumes[node]: - -> {"hostPath":{"path":"/","type":"Directory"},"name":"node"}`,
		`+ GpuClassParameters/mig`,
		`+ ResourceClass/mig.example.com`,
	}},
	{set: "kubeletPlugin.driverRoot=/opt/driver", given: "kubeletPlugin.devices=nvidia,", changes: []string{
		daemonSet + plugin + `env[DRIVER_ROOT]: - -> {"name":"DRIVER_ROOT","value":"/opt/driver"}`,
	}},
	{set: "kubeletPlugin.privileged=false", given: "kubeletPlugin.devices=nvidia,kubeletPlugin.driverRoot=/run/nvidia/driver,", changes: []string{
		daemonSet + plugin + `args: - -> "--kernel-root=/"`,
		daemonSet + plugin + `env[CGROUP_ROOT]: {"name":"CGROUP_ROOT","value":"/node-cgroup"} -> -`,
		daemonSet + plugin + `env[NVIDIA_DRIVER_CAPABILITIES]: - -> {"name":"NVIDIA_DRIVER_CAPABILITIES","value":"utility"}`,
		daemonSet + plugin + `env[NVIDIA_VISIBLE_DEVICES].value: "void" -> "all"`,
		daemonSet + plugin + `env[POD_UID]: {"name":"POD_UID","valueFrom":{"fieldRef":{"fieldPath":"metadata.uid"}}} -> -`,
		daemonSet + plugin + `securityContext.allowPrivilegeEscalation: - -> false`,
		daemonSet + plugin + `securityContext.capabilities: - -> {"drop":["ALL"]}`,
		daemonSet + plugin + `securityContext.privileged: true -> -`,
		daemonSet + plugin + `volumeMounts[cgroup]: {"mountPath":"/node-cgroup","name":"cgroup","readOnly":true} -> -`,
		daemonSet + plugin + `volumeMounts[dev]: {"mountPath":"/dev","name":"dev"} -> -`,
		daemonSet + plugin + `volumeMounts[driver]: - -> {"mountPath":"/node/run/nvidia/driver","mountPropagation":"HostToContainer","name":"driver","readOnly":true}`,
		daemonSet + plugin + `volumeMounts[node]: {"mountPath":"/node","mountPropagation":"HostToContainer","name":"node","readOnly":true} -> -`,
		daemonSet + plugin + `volumeMounts[plugin].mountPropagation: "Bidirectional" -> -`,
		daemonSet + pod + `hostPID: true -> -`,
		daemonSet + pod + `volumes[cgroup]: {"hostPath":{"path":"/sys/fs/cgroup","type":"Directory"},"name":"cgroup"} -> -`,
		daemonSet + pod + `volumes[dev]: {"hostPath":{"path":"/dev","type":"Directory"},"name":"dev"} -> -`,
		daemonSet + pod + `volumes[driver]: - -> {"hostPath":{"path":"/run/nvidia/driver","type":"DirectoryOrCreate"},"name":"driver"}`,
		daemonSet + pod + `volumes[node]: {"hostPath":{"path":"/","type":"Directory"},"name":"node"} -> -`,
		`- GpuClassParameters/mig`,
		`- ResourceClass/mig.example.com`,
	}},
	{set: "kubeletPlugin.runtimeClassName=nvidia", changes: []string{
		daemonSet + pod + `runtimeClassName: - -> "nvidia"`,
	}},
	{set: "kubeletPlugin.serviceAccount.scc=privileged", changes: []string{
		`+ RoleBinding/gpudra-kubeletplugin-scc`,
	}},
	{set: "kubeletPlugin.ignoreXids={140,74}", given: "kubeletPlugin.devices=nvidia,", changes: []string{
		daemonSet + plugin + `env[IGNORE_XIDS]: - -> {"name":"IGNORE_XIDS","value":"140,74"}`,
	}},
	{set: "kubeletPlugin.evictOn={lost,xid}", given: "kubeletPlugin.devices=nvidia,", changes: []string{
		daemonSet + plugin + `env[EVICT_ON]: - -> {"name":"EVICT_ON","value":"lost,xid"}`,
	}},
	{set: "kubeletPlugin.driverLibraries=/opt/lib", given: "kubeletPlugin.devices=nvidia,", changes: []string{
		daemonSet + plugin + `env[DRIVER_LIBRARIES]: - -> {"name":"DRIVER_LIBRARIES","value":"/opt/lib"}`,
	}},
	{set: "kubeletPlugin.gpus=gpus: []", changes: []string{
		`+ ConfigMap/gpudra-gpus`,
		daemonSet + `template.metadata.annotations: - -> {"checksum/gpus":"1195c1e4b6c3ee38e259ad1ad40aa68a52838e73b01de01ae5dde4429cfef435"}`,
		daemonSet + plugin + `args: - -> "--profile=@/etc/gpudra/gpus.yaml"`,
		daemonSet + plugin + `volumeMounts[gpus]: - -> {"mountPath":"/etc/gpudra","name":"gpus","readOnly":true}`,
		daemonSet + pod + `volumes[gpus]: - -> {"configMap":{"name":"gpudra-gpus"},"name":"gpus"}`,
	}},
	{set: "kubeletPlugin.probePort=9091", changes: []string{
		daemonSet + plugin + `args: "--probe-port=8081" -> -`,
		daemonSet + plugin + `args: - -> "--probe-port=9091"`,
		daemonSet + plugin + `ports[probes].containerPort: 8081 -> 9091`,
	}},
	{set: "kubeletPlugin.metricsPort=9091", changes: []string{
		daemonSet + plugin + `args: "--metrics-port=8080" -> -`,
		daemonSet + plugin + `args: - -> "--metrics-port=9091"`,
		daemonSet + plugin + `ports[metrics].containerPort: 8080 -> 9091`,
	}},
	{set: "kubeletPlugin.updateStrategy.rollingUpdate.maxUnavailable=1", changes: []string{
		daemonSet + `updateStrategy.rollingUpdate.maxUnavailable: "10%" -> 1`,
	}},
	{set: "kubeletPlugin.priorityClassName=gpu-nodes", changes: []string{
		daemonSet + pod + `priorityClassName: "system-node-critical" -> "gpu-nodes"`,
	}},
	{set: "kubeletPlugin.resources.requests.cpu=50m", changes: []string{
		daemonSet + plugin + `resources.requests.cpu: "20m" -> "50m"`,
	}},
	{set: "kubeletPlugin.nodeSelector.gpu=present", changes: []string{
		daemonSet + pod + `nodeSelector: - -> {"gpu":"present"}`,
	}},
	{set: "kubeletPlugin.tolerations=null", changes: []string{
		daemonSet + pod + `tolerations: [{"operator":"Exists"}] -> -`,
	}},
	{set: "kubeletPlugin.affinity.nodeAffinity.x=y", changes: []string{
		daemonSet + pod + `affinity: - -> {"nodeAffinity":{"x":"y"}}`,
	}},
	{set: "kubeletPlugin.podAnnotations.team=gpu", changes: []string{
		daemonSet + `template.metadata.annotations: - -> {"team":"gpu"}`,
	}},
	{set: "kubeletPlugin.startupProbe.failureThreshold=90", changes: []string{
		daemonSet + plugin + `startupProbe.failureThreshold: 60 -> 90`,
	}},
	{set: "kubeletPlugin.livenessProbe=null", changes: []string{
		daemonSet + plugin + `livenessProbe.failureThreshold: 3 -> -`,
		daemonSet + plugin + `livenessProbe.periodSeconds: 10 -> -`,
		daemonSet + plugin + `livenessProbe.timeoutSeconds: 5 -> -`,
	}},
	{set: "kubeletPlugin.readinessProbe.periodSeconds=2", changes: []string{
		daemonSet + plugin + `readinessProbe.periodSeconds: 5 -> 2`,
	}},
	{set: "controller.image.digest=sha256:d41d8cd98f00b204e9800998ecf8427ed41d8cd98f00b204e9800998ecf8427e", changes: []string{
		deployment + controller + `image: "gpudra/controller:0.1.0" -> "gpudra/controller:0.1.0@sha256:d41d8cd98f00b204e9800998ecf8427ed41d8cd98f00b204e9800998ecf8427e"`,
	}},
	{set: "controller.podLabels.team=gpu", changes: []string{
		deployment + `template.metadata.labels.team: - -> "gpu"`,
	}},
	{set: "controller.serviceAccount.annotations.role=gpu", changes: []string{
		`ServiceAccount/gpudra-controller metadata.annotations: - -> {"role":"gpu"}`,
	}},
	{set: "controller.podSecurityContext.fsGroup=7", changes: []string{
		deployment + pod + `securityContext.fsGroup: - -> 7`,
	}},
	{set: "controller.securityContext.readOnlyRootFilesystem=false", changes: []string{
		deployment + controller + `securityContext.readOnlyRootFilesystem: true -> false`,
	}},
	{set: "controller.extraArgs[0]=--api-timeout=3s", changes: []string{
		deployment + controller + `args: - -> "--api-timeout=3s"`,
	}},
	{set: "controller.extraEnv[0].name=TZ,controller.extraEnv[0].value=UTC", changes: []string{
		deployment + controller + `env[TZ]: - -> {"name":"TZ","value":"UTC"}`,
	}},
	{set: "kubeletPlugin.image.digest=sha256:d41d8cd98f00b204e9800998ecf8427ed41d8cd98f00b204e9800998ecf8427e", changes: []string{
		daemonSet + plugin + `image: "gpudra/kubeletplugin:0.1.0" -> "gpudra/kubeletplugin:0.1.0@sha256:d41d8cd98f00b204e9800998ecf8427ed41d8cd98f00b204e9800998ecf8427e"`,
	}},
	{set: "kubeletPlugin.podLabels.team=gpu", changes: []string{
		daemonSet + `template.metadata.labels.team: - -> "gpu"`,
	}},
	{set: "kubeletPlugin.serviceAccount.annotations.role=gpu", changes: []string{
		`ServiceAccount/gpudra-kubeletplugin metadata.annotations: - -> {"role":"gpu"}`,
	}},
	{set: "kubeletPlugin.podSecurityContext.fsGroup=7", changes: []string{
		daemonSet + pod + `securityContext.fsGroup: - -> 7`,
	}},
	{set: "kubeletPlugin.securityContext.readOnlyRootFilesystem=false", changes: []string{
		daemonSet + plugin + `securityContext.readOnlyRootFilesystem: true -> false`,
	}},
	{set: "kubeletPlugin.extraArgs[0]=--boot-id-file=/b", changes: []string{
		daemonSet + plugin + `args: - -> "--boot-id-file=/b"`,
	}},
	{set: "kubeletPlugin.extraEnv[0].name=TZ,kubeletPlugin.extraEnv[0].value=UTC", changes: []string{
		daemonSet + plugin + `env[TZ]: - -> {"name":"TZ","value":"UTC"}`,
	}},
	{set: "controller.topologySpreadConstraints[0].maxSkew=1", changes: []string{
		deployment + pod + `topologySpreadConstraints: - -> [{"maxSkew":1}]`,
	}},
	{set: "controller.podDisruptionBudget.enabled=false", changes: []string{
		`- PodDisruptionBudget/gpudra-controller`,
	}},
	{set: "controller.lease.duration=9s", changes: []string{
		deployment + controller + `args: - -> "--lease-duration=9s"`,
	}},
	{set: "controller.lease.renewDeadline=9s", changes: []string{
		deployment + controller + `args: - -> "--renew-deadline=9s"`,
	}},
	{set: "controller.lease.retryPeriod=9s", changes: []string{
		deployment + controller + `args: - -> "--retry-period=9s"`,
	}},
	{set: "kubeletPlugin.heartbeat=9s", changes: []string{
		daemonSet + plugin + `args: - -> "--heartbeat=9s"`,
	}},
}
