package chart

import (
	"encoding/json"
	"fmt"
	"reflect"
	"sort"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// Kubernetes objects by kind and name.
type objects map[string]interface{}

func parse(t *testing.T, text string) objects {
	t.Helper()
	found := objects{}
	for _, document := range strings.Split("\n"+text, "\n---\n") {
		var object map[string]interface{}
		if err := yaml.UnmarshalStrict([]byte(document), &object); err != nil {
			t.Fatalf("%v in\n%s", err, document)
		}
		if object != nil {
			found[fmt.Sprintf("%s/%s", object["kind"], metadata(object)["name"])] = object
		}
	}
	return found
}

func metadata(object interface{}) map[string]interface{} {
	return object.(map[string]interface{})["metadata"].(map[string]interface{})
}

// Leaves out the labels and annotations with which Helm knows its objects again.
func withoutHelm(all objects) objects {
	ours := map[string]bool{"app.kubernetes.io/name": true}
	for _, object := range all {
		for _, field := range []string{"labels", "annotations"} {
			entries, _ := metadata(object)[field].(map[string]interface{})
			for key := range entries {
				helms := strings.HasPrefix(key, "helm.sh/") || strings.HasPrefix(key, "app.kubernetes.io/")
				if helms && !ours[key] {
					delete(entries, key)
				}
			}
			if len(entries) == 0 {
				delete(metadata(object), field)
			}
		}
	}
	return all
}

func differences(old, new objects) []string {
	var found []string
	for _, name := range keys(old, new) {
		switch {
		case old[name] == nil:
			found = append(found, "+ "+name)
		case new[name] == nil:
			found = append(found, "- "+name)
		default:
			found = append(found, compare(name+" ", old[name], new[name])...)
		}
	}
	return found
}

func compare(path string, old, new interface{}) []string {
	if reflect.DeepEqual(old, new) {
		return nil
	}
	oldMap, isMap := old.(map[string]interface{})
	newMap, areMaps := new.(map[string]interface{})
	if isMap && areMaps {
		return compareMaps(path, oldMap, newMap)
	}
	oldList, isList := old.([]interface{})
	newList, areLists := new.([]interface{})
	if isList && areLists {
		return compareLists(path, oldList, newList)
	}
	return []string{fmt.Sprintf("%s: %s -> %s", path, inline(old), inline(new))}
}

func compareMaps(path string, old, new map[string]interface{}) []string {
	var found []string
	for _, key := range keys(old, new) {
		separator := "."
		if strings.HasSuffix(path, " ") {
			separator = ""
		}
		found = append(found, compare(path+separator+key, old[key], new[key])...)
	}
	return found
}

// Elements that have names are told apart by them, others by what they are.
func compareLists(path string, old, new []interface{}) []string {
	oldNamed, named := byName(old)
	newNamed, areNamed := byName(new)
	var found []string
	if named && areNamed {
		for _, name := range keys(oldNamed, newNamed) {
			found = append(found, compare(path+"["+name+"]", oldNamed[name], newNamed[name])...)
		}
		return found
	}
	for _, gone := range without(old, new) {
		found = append(found, path+": "+gone+" -> -")
	}
	for _, come := range without(new, old) {
		found = append(found, path+": - -> "+come)
	}
	if found == nil {
		found = append(found, path+": in another order")
	}
	return found
}

func byName(list []interface{}) (map[string]interface{}, bool) {
	named := map[string]interface{}{}
	for _, element := range list {
		entry, _ := element.(map[string]interface{})
		name, _ := entry["name"].(string)
		if named[name] != nil || name == "" {
			return nil, false
		}
		named[name] = element
	}
	return named, true
}

func without(from, these []interface{}) []string {
	var left []string
	for _, element := range from {
		found := false
		for _, other := range these {
			found = found || reflect.DeepEqual(element, other)
		}
		if !found {
			left = append(left, inline(element))
		}
	}
	return left
}

func inline(value interface{}) string {
	if value == nil {
		return "-"
	}
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func keys(maps ...map[string]interface{}) []string {
	seen := map[string]bool{}
	var all []string
	for _, entries := range maps {
		for key := range entries {
			if !seen[key] {
				seen[key] = true
				all = append(all, key)
			}
		}
	}
	sort.Strings(all)
	return all
}
