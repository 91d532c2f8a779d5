/**
 * {@code kubectl gpudra migrate} and {@code convert}: they read manifests, have them translated,
 * and write the results and the remarks.
 *
 * <p>What must stay true: all is translated before the first file is written; nothing is written to
 * a cluster, and no file is replaced.
 */
@NullMarked
package io.gpudra.controller.cli.translate;

import org.jspecify.annotations.NullMarked;
