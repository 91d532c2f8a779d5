//go:build tools

// Package tools names the program whose modules go.sum must cover.
package tools

import (
	_ "sigs.k8s.io/kube-network-policies/cmd"
)
