/**
 * The only place that sees every part: the demo, the local cluster, and the tests that start the
 * shipped binaries.
 */
@NullMarked
package io.gpudra.scenarios;

import org.jspecify.annotations.NullMarked;
