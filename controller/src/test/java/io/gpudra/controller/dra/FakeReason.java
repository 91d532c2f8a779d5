package io.gpudra.controller.dra;

import io.gpudra.crds.model.Reason;

record FakeReason(String label, String phrase, String text, boolean lasting, int shortfall)
    implements Reason {
  static final FakeReason FULL = new FakeReason("inUse", "all in use", "lacks 1 of 1", false, 1);
  static final FakeReason NONE = new FakeReason("none", "none match", "has none", true, 9);
}
