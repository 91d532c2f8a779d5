package io.gpudra.controller.allocation;

import io.gpudra.controller.allocation.ledger.DoubleGrant;
import io.gpudra.crds.model.ClaimRef;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Writes down what it is told. */
class RecordingListener implements LedgerListener {

  private final List<String> told = new CopyOnWriteArrayList<>();
  private final List<DoubleGrant> doubleGrants = new CopyOnWriteArrayList<>();

  @Override
  public void freed(String node, int devices) {
    told.add(node + " freed " + devices);
  }

  @Override
  public void nameFree(ClaimRef claim) {
    told.add(claim + " is free as a name");
  }

  @Override
  public void grantedTwice(DoubleGrant doubleGrant) {
    doubleGrants.add(doubleGrant);
  }

  @Override
  public void surplus(ClaimRef claim) {
    told.add(claim + " is surplus");
  }

  /** What was told since the last call. */
  List<String> told() {
    List<String> all = List.copyOf(told);
    told.clear();
    return all;
  }

  List<DoubleGrant> doubleGrants() {
    return doubleGrants;
  }
}
