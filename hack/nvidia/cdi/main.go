// Command cdi reads what the kubelet plugin writes with the code that container runtimes read it with, and compares it
// with what NVIDIA's toolkit writes for the same driver.
//
//	cdi DIFFERENCES DIRECTORY
//
// DIRECTORY has one directory for each system, with the system's root directory in root, the version of its driver in
// version, where the driver is in driver, and the plugin's specs with the toolkit's hooks in plugin.json, without in
// mounts.json.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: cdi DIFFERENCES DIRECTORY")
		os.Exit(2)
	}
	if problems, err := compareAll(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	} else if len(problems) > 0 {
		fmt.Println(strings.Join(problems, "\n"))
		os.Exit(1)
	}
}

func compareAll(table, directory string) ([]string, error) {
	known, err := readDifferences(table)
	if err != nil {
		return nil, err
	}
	systems, err := filepath.Glob(filepath.Join(directory, "*", "plugin.json"))
	if err != nil || len(systems) == 0 {
		return nil, fmt.Errorf("%s has no specs: %v", directory, err)
	}
	var problems []string
	for _, spec := range systems {
		found, err := compare(known, filepath.Dir(spec))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Dir(spec), err)
		}
		problems = append(problems, found...)
	}
	return append(problems, known.unused()...), nil
}

// compare tells what is different in one system and should not be.
func compare(known *differences, directory string) ([]string, error) {
	text, err := os.ReadFile(filepath.Join(directory, "version"))
	if err != nil {
		return nil, err
	}
	version := strings.TrimSpace(string(text))
	if _, err := readOurs(filepath.Join(directory, "mounts.json"), version); err != nil {
		return nil, err
	}
	ours, err := readOurs(filepath.Join(directory, "plugin.json"), version)
	if err != nil {
		return nil, err
	}
	theirs, err := readTheirs(directory, version)
	if err != nil {
		return nil, err
	}
	problems := append(known.only("plugin", ours, theirs), known.only("toolkit", theirs, ours)...)
	for i, problem := range problems {
		problems[i] = filepath.Base(directory) + ": " + problem
	}
	return problems, nil
}
