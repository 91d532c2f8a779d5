package io.gpudra.controller.allocation;

import static io.gpudra.controller.allocation.Samples.inventory;
import static io.gpudra.controller.allocation.Samples.ref;
import static io.gpudra.controller.allocation.Samples.uid;

import io.gpudra.crds.model.Grant;
import java.util.Optional;

/** Ledgers of n0 and n1 with two devices each, of which the listener has been told. */
final class TwoNodes {
  final RecordingListener listener = new RecordingListener();
  final Ledgers ledgers = Samples.telling(listener);

  TwoNodes() {
    ledgers.observe(inventory("n0", 2));
    ledgers.observe(inventory("n1", 2));
    listener.told();
  }

  /** The API shows the claim with this grant. */
  void observe(String claim, Grant grant) {
    ledgers.observe(ref(claim), uid(claim), Optional.of(grant));
  }

  /** The API shows the claim without a grant. */
  void observeNothing(String claim) {
    ledgers.observe(ref(claim), uid(claim), Optional.empty());
  }
}
