package io.gpudra.controller.dra.testing;

import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClaimFacts.Granted;
import io.gpudra.controller.dra.facts.ClaimFacts.Mode;
import io.gpudra.controller.dra.facts.ParametersRef;
import io.gpudra.controller.dra.facts.ResourceHandle;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import java.time.Instant;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** A claim in the making: starts fresh, delayed, of our class. */
public final class Some {
  public static final String DRIVER = "mock-driver";
  public static final String NS = "default";
  public static final Instant EPOCH = Instant.parse("2026-01-01T00:00:00Z");

  private final String name;
  private String uid;
  private String version = "1";
  private String namespace = NS;
  private Instant created = EPOCH;
  private String className = "mock-class";
  private Optional<ParametersRef> parameters = Optional.empty();
  private Mode mode = Mode.DELAYED;
  private boolean deleting;
  private boolean requested;
  private boolean hasFinalizer;
  private boolean hasBuiltinFinalizer;
  private Optional<Granted> allocation = Optional.empty();
  private boolean mayStillBePrepared;
  private ImmutableSet<String> reservedFor = ImmutableSet.of();
  private Optional<String> owner = Optional.empty();

  private Some(String name) {
    this.name = name;
    this.uid = name + "-uid";
  }

  public static Some claim(String name) {
    return new Some(name);
  }

  public static ClaimRef ref(String name) {
    return new ClaimRef(NS, name);
  }

  /** A change of an existing claim. */
  public static UnaryOperator<ClaimFacts> change(UnaryOperator<Some> how) {
    return facts -> how.apply(of(facts)).facts();
  }

  public static Some of(ClaimFacts facts) {
    Some some = new Some(facts.ref().name());
    some.uid = facts.uid().value();
    some.version = facts.resourceVersion();
    some.namespace = facts.ref().namespace();
    some.created = facts.created();
    some.className = facts.className();
    some.parameters = facts.parameters();
    some.mode = facts.mode();
    some.deleting = facts.deleting();
    some.requested = facts.deallocationRequested();
    some.hasFinalizer = facts.hasFinalizer();
    some.hasBuiltinFinalizer = facts.hasBuiltinFinalizer();
    some.allocation = facts.allocation();
    some.mayStillBePrepared = facts.mayStillBePrepared();
    some.reservedFor = facts.reservedFor();
    some.owner = facts.ownerUid();
    return some;
  }

  public Some uid(String value) {
    uid = value;
    return this;
  }

  public Some version(String value) {
    version = value;
    return this;
  }

  public Some in(String value) {
    namespace = value;
    return this;
  }

  public Some created(Instant value) {
    created = value;
    return this;
  }

  public Some ofClass(String value) {
    className = value;
    return this;
  }

  public Some parameters(Optional<ParametersRef> value) {
    parameters = value;
    return this;
  }

  public Some immediate() {
    mode = Mode.IMMEDIATE;
    return this;
  }

  public Some deleting() {
    return deleting(true);
  }

  public Some deleting(boolean value) {
    deleting = value;
    return this;
  }

  public Some requested(boolean value) {
    requested = value;
    return this;
  }

  public Some withFinalizer(boolean value) {
    hasFinalizer = value;
    return this;
  }

  public Some withBuiltinFinalizer() {
    hasBuiltinFinalizer = true;
    return this;
  }

  public Some allocation(Optional<Granted> value) {
    allocation = value;
    return this;
  }

  public Some mayStillBePrepared(boolean value) {
    mayStillBePrepared = value;
    return this;
  }

  public Some byUs(String data, String node) {
    return allocation(
        Optional.of(
            new Granted(DRIVER, Optional.of(new ResourceHandle(data, Optional.of(node), false)))));
  }

  public Some byOther() {
    return allocation(Optional.of(new Granted("other-driver", Optional.empty())));
  }

  public Some reservedFor(String... uids) {
    reservedFor = ImmutableSet.copyOf(uids);
    return this;
  }

  public Some owner(String podUid) {
    owner = Optional.of(podUid);
    return this;
  }

  public ClaimFacts facts() {
    return new ClaimFacts(
        new ClaimRef(namespace, name),
        new ClaimUid(uid),
        version,
        created,
        className,
        parameters,
        mode,
        deleting,
        requested,
        hasFinalizer,
        hasBuiltinFinalizer,
        allocation,
        mayStillBePrepared,
        reservedFor,
        owner);
  }
}
