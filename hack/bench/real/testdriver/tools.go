//go:build tools

package tools

import _ "k8s.io/kubernetes/test/e2e/dra/test-driver"
