package io.gpudra.controller.kube;

import io.gpudra.crds.model.node.Inventory;
import java.util.function.Consumer;

/**
 * Receives the state of each node. Called by one thread at a time, must return at once.
 *
 * @param inventoryChanged a node appeared, or its state, devices, prepared claims or service
 *     changed
 * @param nodeSpoke the node's plugin has published again; called after the changes were reported
 * @param nodeGone the Node object was deleted
 */
public record NodeListener(
    Consumer<Inventory> inventoryChanged, Consumer<String> nodeSpoke, Consumer<String> nodeGone) {}
