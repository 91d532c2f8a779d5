/**
 * The controller's process: options, wiring, HTTP endpoints, leadership, shutdown. Start at {@code
 * ControllerMain}.
 */
@NullMarked
package io.gpudra.controller.app;

import org.jspecify.annotations.NullMarked;
