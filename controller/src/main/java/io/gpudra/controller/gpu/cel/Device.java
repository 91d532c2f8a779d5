package io.gpudra.controller.gpu.cel;

import io.gpudra.crds.model.Gpu;
import io.gpudra.crds.model.Inventory;

/** A GPU where it is. */
public record Device(String driver, Inventory inventory, Gpu gpu) {}
