/**
 * What an example does and what must be seen of it: {@link io.gpudra.scenarios.script.Scenario} is
 * read from {@code manifests/examples/*.expect.yaml}, {@link
 * io.gpudra.scenarios.script.Expectation} compares it with what was {@link
 * io.gpudra.scenarios.script.Observed}.
 *
 * <p>Pure: no clock, no network. Everything expected can be seen on a real cluster too.
 */
@NullMarked
package io.gpudra.scenarios.script;

import org.jspecify.annotations.NullMarked;
