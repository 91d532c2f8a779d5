package chart

import (
	"strings"
	"testing"
)

// What values of NVIDIA's chart give, in this chart's own.
var aliases = []struct {
	set string
	own string
}{
	{"nvidiaDriverRoot=/opt/driver,kubeletPlugin.devices=nvidia", "kubeletPlugin.driverRoot=/opt/driver,kubeletPlugin.devices=nvidia"},
	{"nvidiaDriverRoot=/opt,kubeletPlugin.driverRoot=/opt,kubeletPlugin.devices=auto", "kubeletPlugin.driverRoot=/opt,kubeletPlugin.devices=auto"},
	{"nvidiaDriverRoot=/opt,kubeletPlugin.devices=nvidia,kubeletPlugin.privileged=false", "kubeletPlugin.driverRoot=/opt,kubeletPlugin.devices=nvidia,kubeletPlugin.privileged=false"},
	{"gpuResourcesEnabledOverride=true", "kubeletPlugin.devices=nvidia"},
	{"gpuResourcesEnabledOverride=false", ""},
	{"gpuResourcesEnabledOverride=false,kubeletPlugin.devices=auto", "kubeletPlugin.devices=auto"},
	{"resources.gpus.enabled=true", "kubeletPlugin.devices=nvidia"},
	{"resources.gpus.enabled=true,gpuResourcesEnabledOverride=true,kubeletPlugin.devices=nvidia", "kubeletPlugin.devices=nvidia"},
	{"resources.computeDomains.enabled=false", ""},
	{"resources-computeDomains.enabled=false", ""},
	{"logVerbosity=0", ""},
	{"logVerbosity=4", ""},
	{"logVerbosity=5", "log.level=debug"},
	{"logVerbosity=7", "log.level=trace"},
	{"logVerbosity=6,log.level=debug", "log.level=debug"},
	{"image.repository=nvcr.io/nvidia/k8s-dra-driver-gpu,image.tag=v25.8.1,image.pullPolicy=IfNotPresent", "image.pullPolicy=IfNotPresent"},
}

func TestEachValueOfNvidiasChartMeansOneOfThisChart(t *testing.T) {
	for _, row := range aliases {
		t.Run(row.set, func(t *testing.T) {
			for _, change := range differences(render(t, row.own), render(t, row.set)) {
				t.Error(change)
			}
		})
	}
}

func TestTheNotesSayThatNvidiasImageIsIgnored(t *testing.T) {
	const said = "image.repository and image.tag name NVIDIA's image and are ignored"
	for set, wanted := range map[string]bool{
		"image.repository=nvcr.io/nvidia/k8s-dra-driver-gpu,image.tag=v25.8.1": true,
		"image.tag=v25.8.1": false,
	} {
		installed, err := install(t, usual, set)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(installed.Info.Notes, said) != wanted {
			t.Errorf("with %s:\n%s", set, installed.Info.Notes)
		}
	}
}
