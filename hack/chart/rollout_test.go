package chart

import (
	"testing"

	"k8s.io/apimachinery/pkg/util/intstr"
)

// A node as the DaemonSet controller sees it.
type node struct {
	// Whether a pod of ours gets ready there, of this version or the next.
	ready bool
	// Whether its pod is of the next version.
	updated bool
}

// One look of the DaemonSet controller, with maxSurge 0 (pkg/controller/daemon/update.go): old pods that are not available
// are replaced at once, the others as far as maxUnavailable allows, against which new pods count that are not available.
func look(nodes []node, maxUnavailable int) bool {
	unavailable := 0
	for _, one := range nodes {
		if one.updated && !one.ready {
			unavailable++
		}
	}
	changed := false
	for i := range nodes {
		one := &nodes[i]
		if one.updated {
			continue
		}
		if one.ready && unavailable >= maxUnavailable {
			continue
		}
		if one.ready {
			// Away until the next look; by then it is ready again.
			unavailable++
		}
		one.updated, changed = true, true
	}
	return changed
}

// Nodes that keep the old version for ever.
func leftBehind(all, neverReady, maxUnavailable int) int {
	nodes := make([]node, all)
	for i := range nodes {
		nodes[i].ready = i >= neverReady
	}
	for look(nodes, maxUnavailable) {
	}
	left := 0
	for _, one := range nodes {
		if !one.updated {
			left++
		}
	}
	return left
}

func maxUnavailable(t *testing.T, all objects, nodes int) int {
	t.Helper()
	strategy := dig(all["DaemonSet/gpudra-kubeletplugin"], "spec", "updateStrategy", "rollingUpdate")
	if surge := dig(strategy, "maxSurge"); surge != nil {
		t.Fatalf("maxSurge %v: the count is another one", surge)
	}
	value := intstr.Parse(dig(strategy, "maxUnavailable").(string))
	// The controller rounds up, and does not let it be 0.
	most, err := intstr.GetScaledValueFromIntOrPercent(&value, nodes, true)
	if err != nil {
		t.Fatal(err)
	}
	return most
}

// A node without a GPU is ready, so it counts for nothing; only one with a GPU and no driver never is.
func TestNodesThatAreNeverReadyStopNoRollOut(t *testing.T) {
	for name, all := range map[string]objects{
		"base":         kustomize(t, root+"manifests/base"),
		"nvidia":       kustomize(t, root+"manifests/overlays/nvidia"),
		"unprivileged": kustomize(t, root+"manifests/overlays/nvidia-unprivileged"),
		"chart":        render(t, "kubeletPlugin.devices=nvidia"),
	} {
		for _, row := range []struct{ nodes, withoutDriver, left int }{
			{nodes: 10, withoutDriver: 0, left: 0},
			{nodes: 11, withoutDriver: 1, left: 0},
			{nodes: 100, withoutDriver: 9, left: 0},
			{nodes: 5000, withoutDriver: 499, left: 0},
			// If nodes without a GPU were never ready: 8 of 10 are such, and one of the others is left behind.
			{nodes: 10, withoutDriver: 8, left: 1},
			// A tenth without a driver is a fault of the installation, and the roll-out waits for its mend.
			{nodes: 100, withoutDriver: 10, left: 80},
		} {
			left := leftBehind(row.nodes, row.withoutDriver, maxUnavailable(t, all, row.nodes))
			if left != row.left {
				t.Errorf("%s: of %d nodes, %d without a driver, %d stay behind, not %d", name, row.nodes, row.withoutDriver, left, row.left)
			}
		}
	}
}
