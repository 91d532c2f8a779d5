/**
 * Objects that are in a file and not in the cluster: start at {@code ManifestReader}. The same
 * mappings read them that read those of the cluster.
 *
 * <p>What must stay true: whatever stands in a file, what is wrong with it is a sentence that names
 * the document and the field; Kubernetes' mutable models never leave this package.
 */
@NullMarked
package io.gpudra.controller.manifest;

import org.jspecify.annotations.NullMarked;
