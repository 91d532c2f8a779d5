package io.gpudra.controller.allocation;

import io.gpudra.controller.allocation.ledger.DoubleGrant;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Writes down what it is told. */
class RecordingListener implements LedgerListener {

  private final List<String> told = new CopyOnWriteArrayList<>();
  private final List<String> released = new CopyOnWriteArrayList<>();
  private final List<String> left = new CopyOnWriteArrayList<>();
  private final List<DoubleGrant> doubleGrants = new CopyOnWriteArrayList<>();

  @Override
  public void freed(String node, int devices) {
    told.add(node + " freed " + devices);
  }

  @Override
  public void nameReleased(String node, ClaimRef claim) {
    told.add(claim + " is free as a name");
  }

  @Override
  public void grantedTwice(DoubleGrant doubleGrant) {
    doubleGrants.add(doubleGrant);
  }

  @Override
  public void surplusFound(ClaimRef claim) {
    told.add(claim + " is surplus");
  }

  @Override
  public void holdsGone(ClaimUid claim) {
    left.add(claim.value());
  }

  @Override
  public void released(NodeLedger had, ClaimUid claim) {
    released.add(had.node() + " " + had.holds().get(claim));
  }

  /** Claims that were released, by what they had. */
  List<String> released() {
    return List.copyOf(released);
  }

  /** Claims that had left since the last call. */
  List<String> left() {
    List<String> all = List.copyOf(left);
    left.clear();
    return all;
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
