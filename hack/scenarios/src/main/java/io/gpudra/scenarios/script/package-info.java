/**
 * Steps and expectations of examples: {@link io.gpudra.scenarios.script.Scenario} is read from
 * {@code manifests/examples/*.expect.yaml}, {@link io.gpudra.scenarios.script.Expectation} compares
 * it with {@link io.gpudra.scenarios.script.Observed}.
 *
 * <p>Pure: no clock, no network. All expectations also apply to a real cluster.
 */
@NullMarked
package io.gpudra.scenarios.script;

import org.jspecify.annotations.NullMarked;
