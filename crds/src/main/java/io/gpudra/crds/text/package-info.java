/**
 * Utilities for texts of any meaning: start at {@link io.gpudra.crds.text.TextInterner}, which lets
 * equal texts of Kubernetes objects and handles share memory. {@code UtcTimes} reads times.
 */
@NullMarked
package io.gpudra.crds.text;

import org.jspecify.annotations.NullMarked;
