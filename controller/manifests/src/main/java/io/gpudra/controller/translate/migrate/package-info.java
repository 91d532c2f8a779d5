/**
 * From this driver's objects to {@code resource.k8s.io/v1}. Start at {@code ManifestMigration}. The
 * rows of {@code RequestField}, {@code ClaimField} and {@code ClassField} write their parts of the
 * other API.
 *
 * <p>What must stay true: an object whose meaning cannot be kept stays as a comment.
 */
@NullMarked
package io.gpudra.controller.translate.migrate;

import org.jspecify.annotations.NullMarked;
