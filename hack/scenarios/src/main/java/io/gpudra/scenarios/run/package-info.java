/**
 * Runs {@link io.gpudra.scenarios.script.Scenario}s against an API server. Start at {@link
 * io.gpudra.scenarios.run.ScenarioRunner}.
 *
 * <p>It only makes calls that kubectl could make, over plain HTTP and JSON. The containers'
 * environments and the CDI files come from {@link io.gpudra.scenarios.run.NodeView}.
 */
@NullMarked
package io.gpudra.scenarios.run;

import org.jspecify.annotations.NullMarked;
