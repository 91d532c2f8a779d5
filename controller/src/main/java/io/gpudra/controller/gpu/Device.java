package io.gpudra.controller.gpu;

import io.gpudra.crds.model.Gpu;
import io.gpudra.crds.model.Inventory;

/** A GPU where it is. */
record Device(String driver, Inventory inventory, Gpu gpu) {}
