package chart

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/strvals"
)

// What a page tells a user to type, where Helm or kustomize makes objects of it.
var documented = regexp.MustCompile(`(?m)^ *(helm (?:install|upgrade) .*|kubectl apply -k [^\s$]+)$`)

func TestDocumentedCommandsMakeObjects(t *testing.T) {
	commands := 0
	for _, page := range pages(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, command := range documented.FindAllString(strings.ReplaceAll(string(text), "\\\n", ""), -1) {
			commands++
			t.Run(command, func(t *testing.T) { makeObjects(t, strings.Fields(command)) })
		}
	}
	if commands < 10 {
		t.Errorf("only %d commands found", commands)
	}
}

func pages(t *testing.T) []string {
	found := []string{root + "README.md"}
	err := filepath.WalkDir(root+"docs", func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".md") {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func makeObjects(t *testing.T, command []string) {
	if command[0] == "kubectl" {
		kustomize(t, root+command[3])
		return
	}
	if release, dir := command[2], command[3]; release != "gpudra" || root+dir != chartDir {
		t.Errorf("release %s of %s", release, dir)
	}
	if _, err := installWith(t, usual, flags(t, command[4:])); err != nil {
		t.Error(err)
	}
}

// The values that the options of a command set.
func flags(t *testing.T, options []string) map[string]interface{} {
	values := map[string]interface{}{}
	for i := 0; i < len(options); i++ {
		var err error
		switch options[i] {
		case "--create-namespace":
			continue
		case "--namespace":
			if options[i+1] != usual.namespace {
				t.Errorf("namespace %s", options[i+1])
			}
		case "--set":
			err = strvals.ParseInto(options[i+1], values)
		case "--set-file":
			err = strvals.ParseIntoFile(options[i+1], values, func(name []rune) (interface{}, error) {
				text, err := os.ReadFile(root + string(name))
				return string(text), err
			})
		default:
			t.Errorf("option %s", options[i])
		}
		if err != nil {
			t.Error(err)
		}
		i++
	}
	return values
}
