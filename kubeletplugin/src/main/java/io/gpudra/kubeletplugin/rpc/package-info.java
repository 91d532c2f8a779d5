/** The kubelet's gRPC: sockets, registration, DRA v1alpha2 and v1alpha3. */
@NullMarked
package io.gpudra.kubeletplugin.rpc;

import org.jspecify.annotations.NullMarked;
