/**
 * Runs {@link io.gpudra.scenarios.script.Scenario}s against an API server. Start at {@link
 * io.gpudra.scenarios.run.ScenarioRunner}.
 *
 * <p>It asks the server what a person with kubectl could ask, over plain HTTP and JSON; only the
 * containers' environments and the CDI files come from elsewhere, through {@link
 * io.gpudra.scenarios.run.NodeView}.
 */
@NullMarked
package io.gpudra.scenarios.run;

import org.jspecify.annotations.NullMarked;
