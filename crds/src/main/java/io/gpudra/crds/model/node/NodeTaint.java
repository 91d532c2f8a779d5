package io.gpudra.crds.model.node;

import io.gpudra.crds.model.node.DeviceTaint.Effect;

/**
 * A taint of a node that keeps pods away.
 *
 * @param value empty when there is none
 */
public record NodeTaint(String key, String value, Effect effect) {}
