//go:build tools

package chart

import _ "helm.sh/helm/v3/cmd/helm"
