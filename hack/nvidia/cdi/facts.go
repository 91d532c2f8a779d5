package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
	"github.com/NVIDIA/go-nvml/pkg/nvml/mock"
	"github.com/NVIDIA/nvidia-container-toolkit/pkg/nvcdi"
	"github.com/sirupsen/logrus"
	"tags.cncf.io/container-device-interface/pkg/cdi"
	"tags.cncf.io/container-device-interface/specs-go"
)

// readOurs reads a spec as a container runtime does, and tells what it does to a container.
func readOurs(file, version string) (map[string]bool, error) {
	spec, err := cdi.ReadSpec(file, 0)
	if err != nil {
		return nil, err
	}
	lowest, err := specs.MinimumRequiredVersion(spec.Spec)
	if err != nil {
		return nil, err
	}
	if lowest != spec.Version {
		return nil, fmt.Errorf("%s declares version %s and needs %s", file, spec.Version, lowest)
	}
	all := facts(&spec.ContainerEdits, version)
	for _, device := range spec.Devices {
		for fact := range facts(&device.ContainerEdits, version) {
			all[fact] = true
		}
	}
	return all, nil
}

// readTheirs tells what the toolkit would do to a container for the same driver.
func readTheirs(directory, version string) (map[string]bool, error) {
	driver, err := os.ReadFile(filepath.Join(directory, "driver"))
	if err != nil {
		return nil, err
	}
	// The toolkit resolves links, also those in the path of the root.
	system, err := filepath.EvalSymlinks(filepath.Join(directory, "root"))
	if err != nil {
		return nil, err
	}
	root := filepath.Join(system, strings.TrimSpace(string(driver)))
	log := logrus.New()
	log.SetOutput(io.Discard)
	lib, err := nvcdi.New(
		nvcdi.WithLogger(log),
		nvcdi.WithMode(nvcdi.ModeNvml),
		nvcdi.WithDriverRoot(root),
		nvcdi.WithDevRoot(system),
		nvcdi.WithFeatureFlags(nvcdi.FeatureDisableNvsandboxUtils),
		nvcdi.WithNvmlLib(&mock.Interface{
			InitFunc:                   func() nvml.Return { return nvml.SUCCESS },
			ShutdownFunc:               func() nvml.Return { return nvml.SUCCESS },
			SystemGetDriverVersionFunc: func() (string, nvml.Return) { return version, nvml.SUCCESS },
		}),
	)
	if err != nil {
		return nil, err
	}
	edits, err := lib.GetCommonEdits()
	if err != nil {
		return nil, err
	}
	return facts(edits.ContainerEdits, version), nil
}

// facts are lines such as "mount /usr/bin/nvidia-smi …" and "link /usr/lib64/libcuda.so -> libcuda.so.1".
func facts(edits *specs.ContainerEdits, version string) map[string]bool {
	all := map[string]bool{}
	add := func(kind, what string) { all[kind+" "+strings.ReplaceAll(what, version, "VERSION")] = true }
	for _, variable := range edits.Env {
		add("variable", strings.SplitN(variable, "=", 2)[0])
	}
	for _, node := range edits.DeviceNodes {
		add("node", node.Path)
	}
	for _, mount := range edits.Mounts {
		options, _ := json.Marshal(mount.Options)
		add("mount", mount.ContainerPath+" "+string(options))
	}
	for _, hook := range edits.Hooks {
		name := hook.Args[1]
		switch name {
		case "create-symlinks":
			for _, link := range hook.Args[2:] {
				if target, place, ok := strings.Cut(link, "::"); ok {
					add("link", place+" -> "+target)
				}
			}
		case "update-ldcache":
			for _, folder := range hook.Args[2:] {
				if folder != "--folder" {
					add("folder", folder)
				}
			}
		default:
			add("hook", hook.HookName+" "+strings.Join(hook.Args[1:], " "))
		}
	}
	return all
}
