/**
 * Caches of the API server's objects: start at {@link io.gpudra.controller.client.watch.Informer},
 * which keeps an {@link io.gpudra.controller.client.watch.ObjectCache} equal to the server. It is
 * client-java's shared informer and reflector with a lister-watcher and a queue of this package,
 * which fix defects 1, 4 to 8, 21 to 23 and 26 to 28. {@link
 * io.gpudra.controller.client.watch.LiveObjects} reads without a cache.
 *
 * <p>What must stay true: one malformed object never stops the others; a cache never goes back in
 * time; only the fields that have a reader are kept.
 */
@NullMarked
package io.gpudra.controller.client.watch;

import org.jspecify.annotations.NullMarked;
