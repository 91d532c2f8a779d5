/** The plugin's only place that sees the API server. */
@NullMarked
package io.gpudra.kubeletplugin.kube;

import org.jspecify.annotations.NullMarked;
