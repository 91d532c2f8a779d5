package chart

import (
	"os"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

const documentsDir = root + "hack/scenarios/src/test/resources/io/gpudra/scenarios/documents/"

// A block of a document that others wrote, as blocks.yaml has it.
type block struct {
	File string `json:"file"`
	// Own values that give the same; none where it is no file of values.
	Chart map[string]interface{} `json:"chart"`
	// At which dotted name of the file they begin.
	Inside string `json:"inside"`
}

func read(t *testing.T, name string, into interface{}) {
	t.Helper()
	text, err := os.ReadFile(documentsDir + name)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, into); err != nil {
		t.Fatal(err)
	}
}

func TestEachFileOfValuesThatOthersWroteInstallsAsItIs(t *testing.T) {
	var documents []struct{ Blocks []block }
	read(t, "blocks.yaml", &documents)
	found := 0
	for _, document := range documents {
		for _, block := range document.Blocks {
			if block.Chart != nil {
				found++
				t.Run(block.File, func(t *testing.T) { means(t, block) })
			}
		}
	}
	if found != 3 {
		t.Errorf("%d files of values", found)
	}
}

func means(t *testing.T, block block) {
	values := map[string]interface{}{}
	read(t, block.File, &values)
	if block.Inside != "" {
		outermost := strings.Split(block.Inside, ".")[0]
		if _, err := installWith(t, usual, values); err == nil || !strings.Contains(err.Error(), "Additional property "+outermost+" is not allowed") {
			t.Errorf("with the line %s: said %v", outermost, err)
		}
		values = dig(values, strings.Split(block.Inside, ".")...).(map[string]interface{})
	}
	for _, change := range differences(rendered(t, block.Chart), rendered(t, values)) {
		t.Error(change)
	}
}

func rendered(t *testing.T, values map[string]interface{}) objects {
	t.Helper()
	installed, err := installWith(t, usual, values)
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, installed.Manifest)
}
