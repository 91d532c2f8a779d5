// Package chart tests the Helm chart of this repository: ./test
package chart

import (
	"fmt"
	"os"
	"regexp"
	"sort"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/lint"
	"helm.sh/helm/v3/pkg/lint/support"
	"helm.sh/helm/v3/pkg/release"
	"helm.sh/helm/v3/pkg/strvals"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

const (
	root     = "../../"
	chartDir = root + "manifests/chart"
)

func load(t *testing.T) *chart.Chart {
	t.Helper()
	loaded, err := loader.Load(chartDir)
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

// A cluster to install into.
type cluster struct {
	namespace string
	version   chartutil.KubeVersion
}

var usual = cluster{"gpudra", chartutil.KubeVersion{Version: "v1.30.14", Major: "1", Minor: "30"}}

// What "helm install gpudra -n NAMESPACE --set SET" would send, or why it refuses.
func install(t *testing.T, into cluster, set string) (*release.Release, error) {
	t.Helper()
	values, err := strvals.Parse(set)
	if err != nil {
		t.Fatal(err)
	}
	return installWith(t, into, values)
}

func installWith(t *testing.T, into cluster, values map[string]interface{}) (*release.Release, error) {
	t.Helper()
	config := &action.Configuration{Log: func(string, ...interface{}) {}}
	install := action.NewInstall(config)
	install.ClientOnly, install.DryRun, install.IncludeCRDs = true, true, true
	install.ReleaseName, install.Namespace = "gpudra", into.namespace
	install.KubeVersion = &into.version
	return install.Run(load(t), values)
}

func text(t *testing.T, into cluster, set string) string {
	t.Helper()
	installed, err := install(t, into, set)
	if err != nil {
		t.Fatalf("with %q: %v", set, err)
	}
	return installed.Manifest
}

func render(t *testing.T, set string) objects {
	t.Helper()
	return parse(t, text(t, usual, set))
}

func kustomize(t *testing.T, dir string) objects {
	t.Helper()
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), dir)
	if err != nil {
		t.Fatal(err)
	}
	text, err := built.AsYaml()
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, string(text))
}

func TestDefaultsGiveWhatTheBaseGives(t *testing.T) {
	base := kustomize(t, root+"manifests/base")
	delete(base, "Namespace/gpudra") // "helm install --create-namespace" makes it.

	for _, change := range differences(base, withoutHelm(render(t, ""))) {
		t.Error(change)
	}
}

func TestOlderServersGetWhatTheirOverlayGives(t *testing.T) {
	overlay := kustomize(t, root+"manifests/overlays/before-1.30")
	delete(overlay, "Namespace/gpudra")
	older := cluster{"gpudra", chartutil.KubeVersion{Version: "v1.29.3", Major: "1", Minor: "29"}}

	for _, change := range differences(overlay, withoutHelm(parse(t, text(t, older, "")))) {
		t.Error(change)
	}
}

func TestHardwareGetsWhatItsOverlayGives(t *testing.T) {
	overlay := kustomize(t, root+"manifests/overlays/nvidia")
	delete(overlay, "Namespace/gpudra")

	for _, change := range differences(overlay, withoutHelm(render(t, "kubeletPlugin.devices=nvidia"))) {
		t.Error(change)
	}
}

func TestHardwareWithoutPrivilegesGetsWhatItsOverlayGives(t *testing.T) {
	overlay := kustomize(t, root+"manifests/overlays/nvidia-unprivileged")
	delete(overlay, "Namespace/gpudra")
	set := "kubeletPlugin.devices=nvidia,kubeletPlugin.privileged=false,kubeletPlugin.driverRoot=/run/nvidia/driver,kubeletPlugin.runtimeClassName=nvidia"

	for _, change := range differences(overlay, withoutHelm(render(t, set))) {
		t.Error(change)
	}
}

// What a container could break out with.
func TestWithoutPrivilegesNothingOfTheNodeIsGivenButTheDriver(t *testing.T) {
	overlay := kustomize(t, root+"manifests/overlays/nvidia-unprivileged")
	set := dig(overlay["DaemonSet/gpudra-kubeletplugin"], "spec", "template", "spec").(map[string]interface{})
	container := dig(set, "containers").([]interface{})[0].(map[string]interface{})

	for _, name := range []string{"hostPID", "hostNetwork", "hostIPC"} {
		if set[name] != nil {
			t.Errorf("%s is %v", name, set[name])
		}
	}
	want := `{"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]},"readOnlyRootFilesystem":true,"runAsGroup":0,"runAsUser":0,"seLinuxOptions":{"type":"spc_t"}}`
	if got := inline(container["securityContext"]); got != want {
		t.Errorf("security context %s", got)
	}
	allowed := map[string]bool{
		"/var/lib/kubelet/plugins/gpu.resource.example.com": true,
		"/var/lib/kubelet/plugins_registry":                 true,
		"/var/run/cdi":                                      true,
		"/run/nvidia/driver":                                true,
	}
	for _, volume := range set["volumes"].([]interface{}) {
		if path := dig(volume, "hostPath", "path"); path != nil && !allowed[path.(string)] {
			t.Errorf("mounts %v", path)
		}
	}
	for _, mount := range container["volumeMounts"].([]interface{}) {
		if dig(mount, "name") == "driver" && dig(mount, "readOnly") != true {
			t.Error("the driver can be written")
		}
		if dig(mount, "mountPropagation") == "Bidirectional" {
			t.Errorf("%v needs a privileged container", mount)
		}
	}
}

func dig(object interface{}, path ...string) interface{} {
	for _, name := range path {
		fields, _ := object.(map[string]interface{})
		object = fields[name]
	}
	return object
}

func TestMonitoringIsThatOfItsDirectory(t *testing.T) {
	directory := kustomize(t, root+"manifests/monitoring")
	all := withoutHelm(render(t, "metrics.podMonitor.enabled=true,metrics.prometheusRule.enabled=true,metrics.dashboard.enabled=true"))
	if len(directory) != 4 {
		t.Errorf("%d objects", len(directory))
	}
	for _, name := range keys(directory, nil) {
		for _, change := range compare(name+" ", directory[name], all[name]) {
			t.Error(change)
		}
	}
}

func TestNvidiasClassesAreWhatTheirComponentGives(t *testing.T) {
	base := overlay(t, "components: [../"+root+"manifests/components/nvidia-classes]")
	delete(base, "Namespace/gpudra")

	for _, change := range differences(base, withoutHelm(render(t, "nvidiaClasses.enabled=true"))) {
		t.Error(change)
	}
}

func TestTheWebhookIsWhatItsComponentGives(t *testing.T) {
	components := "components: [../" + root + "manifests/components/webhook]"
	base := overlay(t, components)
	delete(base, "Namespace/gpudra")

	for _, change := range differences(base, withoutHelm(render(t, "webhook.enabled=true"))) {
		t.Error(change)
	}
}

func TestEvictionsAreWhatTheirComponentGives(t *testing.T) {
	base := overlay(t, "components: [../"+root+"manifests/components/evictions]")
	delete(base, "Namespace/gpudra")

	for _, change := range differences(base, withoutHelm(render(t, "taints.evict=true"))) {
		t.Error(change)
	}
}

func TestGatesAreWhatTheirComponentGives(t *testing.T) {
	for component, set := range map[string]string{"gates": "", "gates-unguarded": ",gates.unguarded=true"} {
		base := overlay(t, "components: [../"+root+"manifests/components/"+component+"]")
		delete(base, "Namespace/gpudra")

		for _, change := range differences(base, withoutHelm(render(t, "gates.enabled=true"+set))) {
			t.Error(component, change)
		}
	}
}

func TestTheWebhookOfGatesIsWhatItsComponentGives(t *testing.T) {
	components := "components: [../" + root + "manifests/components/webhook, ../" + root + "manifests/components/gates, ../" + root + "manifests/components/gates-webhook]"
	base := overlay(t, components)
	delete(base, "Namespace/gpudra")

	for _, change := range differences(base, withoutHelm(render(t, "gates.enabled=true,webhook.enabled=true"))) {
		t.Error(change)
	}
}

func TestBefore130GatesAreInstalledOnlyWithoutTheirPolicy(t *testing.T) {
	older := cluster{"gpudra", chartutil.KubeVersion{Version: "v1.29.3", Major: "1", Minor: "29"}}
	if _, err := install(t, older, "gates.enabled=true"); err == nil || !strings.Contains(err.Error(), "gates.unguarded=true installs without it") {
		t.Errorf("said %v", err)
	}
	if set := text(t, older, "gates.enabled=true,gates.unguarded=true"); !strings.Contains(set, "--gates") {
		t.Error("gates.unguarded=true does not install gates")
	}
}

func TestThePolicyOfGatesHasTheDriversGate(t *testing.T) {
	set := text(t, usual, "gates.enabled=true,driverName=fpga.resource.acme.com")
	if !strings.Contains(set, "'fpga.resource.acme.com/granted'") || strings.Contains(set, "gpu.resource.example.com/granted") {
		t.Error("the policy has another driver's gate")
	}
}

// The base keeps the policy of 1.30; with it or without, the webhook is the same.
func TestBefore130TheWebhookGuardsInventoriesAsItsComponentGives(t *testing.T) {
	components := "components: [../" + root + "manifests/components/webhook, ../" + root + "manifests/components/webhook-inventories]"
	older := cluster{"gpudra", chartutil.KubeVersion{Version: "v1.29.3", Major: "1", Minor: "29"}}
	name := "ValidatingWebhookConfiguration/gpudra-webhook"
	component := overlay(t, components)[name]
	rendered := withoutHelm(parse(t, text(t, older, "webhook.enabled=true")))[name]

	for _, change := range compare(name+" ", component, rendered) {
		t.Error(change)
	}
	set := text(t, older, "webhook.enabled=true,webhook.inventoriesFailurePolicy=Ignore")
	if strings.Contains(set, "failurePolicy: Fail") {
		t.Error("webhook.inventoriesFailurePolicy changes nothing")
	}
}

func TestServersWithoutClassicAllocationAreRefused(t *testing.T) {
	newer := cluster{"gpudra", chartutil.KubeVersion{Version: "v1.31.0", Major: "1", Minor: "31"}}
	if _, err := install(t, newer, ""); err == nil || !strings.Contains(err.Error(), "incompatible with Kubernetes v1.31.0") {
		t.Errorf("said %v", err)
	}
}

// A change is "object path: old -> new", where - is absence.
func TestEachValueChangesWhatItShould(t *testing.T) {
	for _, row := range rows {
		t.Run(row.set, func(t *testing.T) {
			got := strings.Join(differences(render(t, row.given), render(t, row.given+row.set)), "\n")
			want := strings.Join(row.changes, "\n")
			if got != want {
				t.Errorf("changes\n%s\nnot\n%s", got, want)
			}
		})
	}
}

func TestEachValueHasARow(t *testing.T) {
	for _, name := range names(schema(t)) {
		found := false
		for _, row := range rows {
			found = found || sets(row.set, name)
		}
		for _, row := range aliases {
			found = found || sets(row.set, name)
		}
		if !found {
			t.Errorf("no row sets %s", name)
		}
	}
}

func sets(set, name string) bool {
	return regexp.MustCompile(`(^|,)` + regexp.QuoteMeta(name) + `[.\[=]`).MatchString(set)
}

func TestWrongValuesAreRefusedByName(t *testing.T) {
	for set, said := range map[string]string{
		"driverName=gpu.resource.very-long.example.com": "driverName: String length must be less than or equal to 26",
		"driverName=Gpu":                 "driverName: Does not match pattern",
		"kubeletDir=var/lib":             "kubeletDir: Does not match pattern",
		"cdiRoot=/var/run/cdi/":          "cdiRoot: Does not match pattern",
		"image.tag=1":                    "image.tag: Invalid type. Expected: string, given: integer",
		"image.pullPolicy=Sometimes":     "image.pullPolicy: image.pullPolicy must be one of the following",
		"imagePullSecrets[0]=me":         "imagePullSecrets.0: Invalid type. Expected: object, given: string",
		"log.level=5":                    "log.level: log.level must be one of the following",
		"log.format=xml":                 "log.format: log.format must be one of the following",
		"controller.replicas=two":        "controller.replicas: Invalid type. Expected: integer, given: string",
		"controller.probePort=70000":     "controller.probePort: Must be less than or equal to 65535",
		"controller.repicas=2":           "controller: Additional property repicas is not allowed",
		"controller.image.repository=":   "controller.image.repository: String length must be greater than or equal to 1",
		"kubeletPlugin.tolerations=none": "kubeletPlugin.tolerations: Invalid type. Expected: array, given: string",
		"kubeletPlugin.updateStrategy.rollingUpdate.maxSurge=1":       "kubeletPlugin.updateStrategy.rollingUpdate.maxSurge must be one of the following: 0, \"0\", \"0%\"",
		"kubeletPlugin.updateStrategy.rollingUpdate.maxSurge=10%":     "kubeletPlugin.updateStrategy.rollingUpdate.maxSurge must be one of the following: 0, \"0\", \"0%\"",
		"kubeletPlugin.profile=a100:x":                                "kubeletPlugin.profile: Does not match pattern",
		"kubeletPlugin.profile=t4,kubeletPlugin.gpus=gpus":            "kubeletPlugin.profile and kubeletPlugin.gpus exclude each other",
		"kubeletPlugin.devices=amd":                                   "kubeletPlugin.devices must be one of the following: \"fake\", \"nvidia\", \"auto\"",
		"kubeletPlugin.driverLibraries=lib":                           "kubeletPlugin.driverLibraries: Does not match pattern",
		"kubeletPlugin.driverRoot=run/nvidia":                         "kubeletPlugin.driverRoot: Does not match pattern",
		"kubeletPlugin.devices=nvidia,kubeletPlugin.privileged=false": "kubeletPlugin.privileged=false needs kubeletPlugin.driverRoot",
		"kubeletPlugin.runtimeClassName=Nvidia":                       "kubeletPlugin.runtimeClassName: Does not match pattern",
		"kubeletPlugin.serviceAccount.scc=a:b":                        "kubeletPlugin.serviceAccount.scc: Does not match pattern",
		"kubeletPlugin.ignoreXids={mine}":                             "kubeletPlugin.ignoreXids.0: Invalid type. Expected: integer, given: string",
		"kubeletPlugin.evictOn={thermal}":                             "kubeletPlugin.evictOn.0 must be one of the following: \"lost\", \"xid\", \"ecc\"",
		"kubeletPlugin.heartbeat=60":                                  "kubeletPlugin.heartbeat: Invalid type. Expected: string, given: integer",
		"controller.lease.duration=long":                              "controller.lease.duration: Does not match pattern",
		"controller.image.digest=latest":                              "controller.image.digest: Does not match pattern",
		"controller.extraArgs=--workers=8":                            "controller.extraArgs: Invalid type. Expected: array, given: string",
		"kubeletPlugin.podLabels.app\\.kubernetes\\.io/name=mine":     "kubeletPlugin.podLabels",
		"gates.patience=long":                                         "gates.patience: Does not match pattern",
		"gates.groupHold=long":                                        "gates.groupHold: Does not match pattern",
		"gates.groupPatience=1h30m":                                   "gates.groupPatience: Does not match pattern",
		"metrics.nodePoolLabel=-pool":                                 "metrics.nodePoolLabel: Does not match pattern",
		"webhook.failurePolicy=Maybe":                                 "webhook.failurePolicy must be one of the following: \"Ignore\", \"Fail\"",
		"webhook.port=0":                                              "webhook.port: Must be greater than or equal to 1",
		"metrics.podMonitor.interval=30":                              "metrics.podMonitor.interval: Invalid type. Expected: string, given: integer",
		"nvidiaDriverRoot=run/nvidia":                                 "nvidiaDriverRoot: Does not match pattern",
		"gpuResourcesEnabledOverride=yes":                             "gpuResourcesEnabledOverride: Invalid type. Expected: boolean, given: string",
		"logVerbosity=8":                                              "logVerbosity: Must be less than or equal to 7",
		"logVerbosity=debug":                                          "logVerbosity: Does not match pattern",
		"resources.gpu.enabled=true":                                  "resources: Additional property gpu is not allowed",
		"resources.computeDomains.enabled=true":                       "resources.computeDomains.enabled=true: there are no compute domains in this driver",
		"resources-computeDomains.enabled=true":                       "resources-computeDomains.enabled=true: there are no compute domains in this driver",
		"resources.gpus.enabled=false":                                "resources.gpus.enabled=false: this driver serves GPUs and nothing else",
		"image.repository=registry.example.com/gpudra":                "image.repository=registry.example.com/gpudra: this driver has two images, controller.image.repository and kubeletPlugin.image.repository",
		"nvidiaDriverRoot=/,kubeletPlugin.driverRoot=/opt":            "kubeletPlugin.driverRoot=/opt and nvidiaDriverRoot=/ disagree",
		"gpuResourcesEnabledOverride=true,kubeletPlugin.devices=auto": "kubeletPlugin.devices=auto and gpuResourcesEnabledOverride=true disagree",
		"resources.gpus.enabled=true,kubeletPlugin.devices=auto":      "kubeletPlugin.devices=auto and resources.gpus.enabled=true disagree",
		"logVerbosity=7,log.level=debug":                              "log.level=debug and logVerbosity=7 disagree",
	} {
		t.Run(set, func(t *testing.T) {
			if _, err := install(t, usual, set); err == nil || !strings.Contains(err.Error(), said) {
				t.Errorf("said %v, not %q", err, said)
			}
		})
	}
}

func TestOtherNamespacesAreWrittenEverywhere(t *testing.T) {
	for _, line := range strings.Split(text(t, cluster{"elsewhere", usual.version}, ""), "\n") {
		if regexp.MustCompile(`(namespace: |serviceaccount:)gpudra\b`).MatchString(line) {
			t.Errorf("still in the default namespace: %s", line)
		}
	}
}

// An overlay's namespace, prefix and suffix change the account's name; the policy must go on to be about it.
func TestOwnInventoryPolicyMeetsThePluginUnderWhateverNameAnOverlayGives(t *testing.T) {
	for _, change := range []string{"", "namespace: elsewhere", "namePrefix: team-", "nameSuffix: -two"} {
		t.Run(change, func(t *testing.T) {
			meets := regexp.MustCompile(policyPattern(t, overlay(t, change)))
			account, other := account(t, overlay(t, change), "DaemonSet"), account(t, overlay(t, change), "Deployment")
			if !meets.MatchString(account) {
				t.Errorf("%s does not meet %s: every plugin may write every inventory", meets, account)
			}
			if meets.MatchString(other) {
				t.Errorf("%s meets %s", meets, other)
			}
		})
	}
}

// The base with one more line of a kustomization.
func overlay(t *testing.T, line string) objects {
	t.Helper()
	dir, err := os.MkdirTemp(".", "overlay")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	text := "resources: [../" + root + "manifests/base]\n" + line + "\n"
	if err := os.WriteFile(dir+"/kustomization.yaml", []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return kustomize(t, dir)
}

func policyPattern(t *testing.T, all objects) string {
	t.Helper()
	for name, object := range all {
		if strings.HasPrefix(name, "ValidatingAdmissionPolicy/") {
			return regexp.MustCompile(`username\.matches\('(.*?)'\)`).FindStringSubmatch(inline(object))[1]
		}
	}
	t.Fatal("no policy")
	return ""
}

// The user name of the pods of the only workload of a kind.
func account(t *testing.T, all objects, kind string) string {
	t.Helper()
	for name, object := range all {
		if strings.HasPrefix(name, kind+"/") {
			spec := object.(map[string]interface{})["spec"].(map[string]interface{})
			pod := spec["template"].(map[string]interface{})["spec"].(map[string]interface{})
			return fmt.Sprintf("system:serviceaccount:%s:%s", metadata(object)["namespace"], pod["serviceAccountName"])
		}
	}
	t.Fatal("no " + kind)
	return ""
}

// What an archive without symbolic links gives: small files in their place.
func TestACopyThatLostItsLinksIsRefused(t *testing.T) {
	copied := load(t)
	var left []*chart.File
	for _, file := range copied.Files {
		if !strings.HasPrefix(file.Name, "base/") {
			left = append(left, file)
		}
	}
	copied.Files = append(left, &chart.File{Name: "base", Data: []byte("../base")})
	install := action.NewInstall(&action.Configuration{Log: func(string, ...interface{}) {}})
	install.ClientOnly, install.DryRun = true, true
	install.ReleaseName, install.Namespace, install.KubeVersion = "gpudra", "gpudra", &usual.version
	if _, err := install.Run(copied, nil); err == nil || !strings.Contains(err.Error(), "lost its symbolic links") {
		t.Errorf("said %v", err)
	}
}

func TestLintHasNothingToWarnOf(t *testing.T) {
	for _, message := range lint.All(chartDir, nil, "gpudra", true).Messages {
		if message.Severity > support.InfoSev {
			t.Error(message)
		}
	}
}

func TestVersionsAreThoseOfTheBuild(t *testing.T) {
	pom, err := os.ReadFile(root + "pom.xml")
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`<version>([0-9.]+)(-SNAPSHOT)?</version>`).FindStringSubmatch(string(pom))[1]
	if is := load(t).Metadata; is.Version != version || is.AppVersion != version {
		t.Errorf("chart %s of images %s, but the build says %s", is.Version, is.AppVersion, version)
	}
}

// NVIDIA's names have none, so that a default is not taken for what somebody said.
func TestEachValueHasADefaultAndNoOtherNameOfOneHas(t *testing.T) {
	values := load(t).Values
	for _, name := range names(schema(t)) {
		isAlias := described(schema(t), name)["alias"] != nil
		if hasDefault := lookup(values, name) != nil; hasDefault == isAlias {
			t.Errorf("%s: has a default %v, is an alias %v", name, hasDefault, isAlias)
		}
	}
}

func schema(t *testing.T) map[string]interface{} {
	t.Helper()
	var parsed map[string]interface{}
	if err := yaml.Unmarshal(load(t).Schema, &parsed); err != nil {
		t.Fatal(err)
	}
	return parsed
}

// The dotted names of all values that the schema describes, in order.
func names(schema map[string]interface{}) []string {
	var found []string
	properties, _ := schema["properties"].(map[string]interface{})
	for name, part := range properties {
		described := part.(map[string]interface{})
		if described["properties"] == nil && described["description"] != nil {
			found = append(found, name)
		}
		for _, below := range names(described) {
			found = append(found, name+"."+below)
		}
	}
	sort.Strings(found)
	return found
}

func described(schema map[string]interface{}, name string) map[string]interface{} {
	part := schema
	for _, step := range strings.Split(name, ".") {
		part = part["properties"].(map[string]interface{})[step].(map[string]interface{})
	}
	return part
}

func lookup(values map[string]interface{}, name string) interface{} {
	var value interface{} = values
	for _, step := range strings.Split(name, ".") {
		value = dig(value, step)
	}
	return value
}
