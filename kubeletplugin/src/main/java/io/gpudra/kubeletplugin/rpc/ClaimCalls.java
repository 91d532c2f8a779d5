package io.gpudra.kubeletplugin.rpc;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.codahale.metrics.Meter;
import com.codahale.metrics.MetricRegistry;
import com.codahale.metrics.Timer;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.handle.DecodedHandle;
import io.gpudra.crds.handle.HandleCodec;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.kubeletplugin.prepare.ClaimPreparer;
import io.gpudra.kubeletplugin.prepare.call.PrepareCall;
import io.gpudra.kubeletplugin.prepare.call.PrepareOutcome;
import io.gpudra.kubeletplugin.prepare.call.PrepareOutcome.Refused;
import io.gpudra.kubeletplugin.prepare.call.PrepareRefusal;
import io.gpudra.kubeletplugin.prepare.call.PrepareRequest;
import io.gpudra.process.BucketTimer;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Handles the claims of a request for both versions of the DRA service. */
public final class ClaimCalls {

  private static final Logger log = LoggerFactory.getLogger(ClaimCalls.class);

  private final ClaimPreparer preparer;
  private final Timer preparing;
  private final Timer unpreparing;
  private final Meter prepared;
  private final Meter unprepared;
  private final Meter notUnprepared;
  private final Map<PrepareRefusal.Kind, Meter> refused;

  /** Meters and timers are in the registry from the start, under {@code gpudra.plugin.}. */
  public ClaimCalls(ClaimPreparer preparer, MetricRegistry metrics) {
    this.preparer = preparer;
    this.preparing = metrics.timer("gpudra.plugin.prepare.duration", BucketTimer::ofWork);
    this.unpreparing = metrics.timer("gpudra.plugin.unprepare.duration", BucketTimer::ofWork);
    this.prepared = metrics.meter("gpudra.plugin.prepare.outcome.ready");
    this.unprepared = metrics.meter("gpudra.plugin.unprepare.outcome.done");
    this.notUnprepared = metrics.meter("gpudra.plugin.unprepare.outcome.failed");
    this.refused = new EnumMap<>(PrepareRefusal.Kind.class);
    for (PrepareRefusal.Kind kind : PrepareRefusal.Kind.values()) {
      String outcome = kind.name().toLowerCase(Locale.ROOT);
      refused.put(kind, metrics.meter("gpudra.plugin.prepare.outcome." + outcome));
    }
  }

  /**
   * Prepares all claims or leaves none newly prepared: after a failed request the kubelet remembers
   * some claims and forgets others, in the order of a hash map, and never unprepares those that it
   * forgot (protocol.md N3, N10).
   *
   * @return an outcome for every claim of the request
   */
  Map<ClaimUid, PrepareOutcome> prepareAll(List<WireClaim> claims, PrepareCall call) {
    Map<ClaimUid, PrepareOutcome> outcomes = new LinkedHashMap<>();
    for (WireClaim claim : claims) {
      boolean repeated = outcomes.containsKey(claim.uid());
      outcomes.put(claim.uid(), repeated ? twice() : prepare(claim, call));
    }
    boolean complete = outcomes.values().stream().noneMatch(Refused.class::isInstance);
    if (!complete || call.tooLate()) {
      PrepareOutcome givenBack =
          givenBack(
              complete
                  ? "the answer would come too late"
                  : "another claim of the request cannot be prepared");
      for (ClaimUid undone : abandoned(call, outcomes.keySet())) {
        outcomes.computeIfPresent(
            undone, (uid, outcome) -> outcome instanceof Refused ? outcome : givenBack);
      }
    }
    return outcomes;
  }

  /** Two handles of one driver for one claim: one answer cannot have both (protocol.md N5). */
  private static PrepareOutcome twice() {
    return refused(PrepareRefusal.Kind.INVALID, "the request names the claim twice");
  }

  private static PrepareOutcome givenBack(String why) {
    return refused(PrepareRefusal.Kind.BUSY, "given back, since " + why);
  }

  private PrepareOutcome prepare(WireClaim claim, PrepareCall call) {
    PrepareOutcome outcome = preparing.timeSupplier(() -> prepareOrFail(claim, call));
    record(claim, outcome);
    return outcome;
  }

  /** The other claims of the request need an answer, too, and their devices may need an undo. */
  private PrepareOutcome prepareOrFail(WireClaim claim, PrepareCall call) {
    try {
      return decodeAndPrepare(claim, call);
    } catch (RuntimeException e) {
      log.error("defect in prepare claim={} uid={}", claim.ref(), claim.uid(), e);
      return refused(PrepareRefusal.Kind.FAILED, "defect of the plugin, see its log: " + e);
    }
  }

  private PrepareOutcome decodeAndPrepare(WireClaim claim, PrepareCall call) {
    if (claim.structured()) {
      return refused(
          PrepareRefusal.Kind.INVALID,
          "the claim has a structured handle; this driver serves claims that its controller"
              + " allocates");
    }
    DecodedHandle handle = HandleCodec.decode(claim.handle());
    if (handle instanceof DecodedHandle.Decoded withGrant) {
      return preparer.prepare(
          new PrepareRequest(claim.uid(), claim.ref(), withGrant.grant()), call);
    }
    return refused(PrepareRefusal.Kind.INVALID, ((DecodedHandle.Unreadable) handle).problem());
  }

  private static PrepareOutcome refused(PrepareRefusal.Kind kind, String text) {
    return new Refused(new PrepareRefusal(kind, text));
  }

  private void record(WireClaim claim, PrepareOutcome outcome) {
    if (outcome instanceof Refused no) {
      Optional.ofNullable(refused.get(no.refusal().kind())).ifPresent(Meter::mark);
      log.warn(
          "claim not prepared claim={} uid={} kind={} reason=\"{}\"",
          claim.ref(),
          claim.uid(),
          no.refusal().kind(),
          no.refusal().text());
    } else {
      prepared.mark();
      log.info("claim prepared claim={} uid={}", claim.ref(), claim.uid());
    }
  }

  /** Unprepares one claim; empty when nothing is left of it. */
  Optional<PrepareRefusal> unprepare(WireClaim claim, PrepareCall call) {
    Optional<PrepareRefusal> problem =
        unpreparing.timeSupplier(() -> preparer.unprepare(claim.uid(), claim.ref(), call));
    if (problem.isPresent()) {
      notUnprepared.mark();
      log.warn(
          "claim not unprepared claim={} uid={} reason=\"{}\"",
          claim.ref(),
          claim.uid(),
          problem.get().text());
    } else {
      unprepared.mark();
      log.info("claim unprepared claim={} uid={}", claim.ref(), claim.uid());
    }
    return problem;
  }

  /** Like {@link #unprepare}, once for each UID. */
  Map<ClaimUid, Optional<PrepareRefusal>> unprepareAll(List<WireClaim> claims, PrepareCall call) {
    Map<ClaimUid, Optional<PrepareRefusal>> outcomes = new HashMap<>();
    for (WireClaim claim : claims) {
      outcomes.computeIfAbsent(claim.uid(), uid -> unprepare(claim, call));
    }
    return outcomes;
  }

  /** The answer was sent. */
  void answered(Collection<ClaimUid> uids) {
    preparer.answered(uids);
  }

  /** No answer will arrive; returns the claims that were undone for this reason. */
  ImmutableSet<ClaimUid> abandoned(PrepareCall call, Collection<ClaimUid> uids) {
    ImmutableSet<ClaimUid> undone = preparer.abandoned(call, uids);
    if (!undone.isEmpty()) {
      log.info("claims undone because no answer arrived uids={}", undone);
    }
    return undone;
  }

  static ImmutableList<ClaimUid> uids(List<WireClaim> claims) {
    return claims.stream().map(WireClaim::uid).collect(toImmutableList());
  }
}
