/**
 * The demo, the local cluster, and the tests that start the shipped binaries. The only module that
 * depends on all others.
 */
@NullMarked
package io.gpudra.scenarios;

import org.jspecify.annotations.NullMarked;
