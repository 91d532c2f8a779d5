package io.gpudra.controller.status;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNullElse;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.hash.Hashing;
import io.gpudra.crds.api.NodeInventoryStatus.Condition;
import io.gpudra.crds.api.parameters.ParametersStatus;
import io.gpudra.crds.text.UtcTimes;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A digest of a stored status, small regardless of its length: enough to detect whether another
 * status differs.
 *
 * @param generation the observed generation; 0 for none
 * @param since the last transition of each of our conditions
 */
public record StoredStatus(
    long generation, long digest, ImmutableMap<String, ConditionTime> since) {

  private static final ImmutableSet<String> OURS =
      ImmutableSet.of(ParametersStatus.VALID, ParametersStatus.SATISFIABLE);

  private static final ParametersStatus NOTHING =
      new ParametersStatus(null, null, null, null, null);

  /** A condition's status, and its last transition. */
  public record ConditionTime(String status, Instant at) {}

  /** The digest of an object's status, if any. */
  public static StoredStatus of(@Nullable ParametersStatus status) {
    ParametersStatus stored = requireNonNullElse(status, NOTHING);
    ImmutableMap.Builder<String, ConditionTime> since = ImmutableMap.builder();
    for (Condition condition : ours(stored)) {
      Optional<Instant> at =
          Optional.ofNullable(condition.lastTransitionTime()).flatMap(UtcTimes::withAnyOffset);
      if (condition.status() != null && at.isPresent()) {
        since.put(
            String.valueOf(condition.type()), new ConditionTime(condition.status(), at.get()));
      }
    }
    Long generation = stored.observedGeneration();
    return new StoredStatus(
        generation == null ? 0 : generation, digest(stored), since.buildKeepingLast());
  }

  /** Whether this status equals the other one, regardless of times. */
  boolean isEqualTo(ParametersStatus other) {
    return digest == digest(other);
  }

  /** The status to store in place of this one. */
  ParametersStatus followedBy(ParametersStatus next, Instant now) {
    return next.with(
        ours(next).stream().map(condition -> stamped(condition, now)).collect(toImmutableList()));
  }

  private Condition stamped(Condition next, Instant now) {
    Instant at =
        Optional.ofNullable(since.get(String.valueOf(next.type())))
            .filter(before -> before.status().equals(next.status()))
            .map(ConditionTime::at)
            .orElse(now);
    return at(next, at.truncatedTo(ChronoUnit.SECONDS).toString());
  }

  private static long digest(ParametersStatus status) {
    ParametersStatus timeless =
        status.with(
            ours(status).stream().map(condition -> at(condition, null)).collect(toImmutableList()));
    return Hashing.sha256().hashString(timeless.toString(), UTF_8).asLong();
  }

  private static Condition at(Condition condition, @Nullable String time) {
    return new Condition(
        condition.type(), condition.status(), condition.reason(), condition.message(), time);
  }

  /** Other clients may add their own conditions. */
  private static ImmutableList<Condition> ours(ParametersStatus status) {
    return requireNonNullElse(status.conditions(), List.<Condition>of()).stream()
        .filter(condition -> condition != null && OURS.contains(condition.type()))
        .sorted(Comparator.comparing(condition -> String.valueOf(condition.type())))
        .collect(toImmutableList());
  }
}
