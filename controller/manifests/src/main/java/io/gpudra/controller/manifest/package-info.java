/**
 * Reads objects from files. Start at {@code ManifestReader}. The objects are parsed by the same
 * mappings as those of the cluster.
 *
 * <p>What must stay true: each problem of a file is a sentence that names the document and the
 * field; Kubernetes' mutable models never leave this package.
 */
@NullMarked
package io.gpudra.controller.manifest;

import org.jspecify.annotations.NullMarked;
