/**
 * Where one reading of the cluster takes its objects from: the server itself, or caches that
 * watches keep for somebody who reads again and again. Start at {@code Source}.
 *
 * <p>What must stay true: both give the same objects, and what a caller may not read is refused by
 * both in the same way.
 */
@NullMarked
package io.gpudra.controller.kube.source;

import org.jspecify.annotations.NullMarked;
