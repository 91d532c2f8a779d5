package io.gpudra.controller.quota.status;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.HashMultiset;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Multiset;
import io.gpudra.controller.dra.WriteOutcome;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.controller.quota.QuotaCharge;
import io.gpudra.controller.quota.QuotaLimit;
import io.gpudra.controller.quota.QuotaUse;
import io.gpudra.crds.api.NodeInventoryStatus.Condition;
import io.gpudra.crds.api.quota.GpuQuotaStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** A quota of two GPUs and 200 GiB. The cache shows a write when the test says so. */
class QuotaStatusWriterTest implements QuotaObjects {
  private static final long GIB = 1L << 30;
  private static final QuotaLimit LIMIT =
      new QuotaLimit(
          "team", "uid", ImmutableSet.of(), OptionalLong.of(2_000), OptionalLong.of(200 * GIB));

  private final List<GpuQuotaStatus> writes = new ArrayList<>();
  private final Multiset<String> waiting = HashMultiset.create();
  private WriteOutcome.Kind answer = WriteOutcome.Kind.DONE;
  private Optional<GpuQuotaStatus> stored = Optional.empty();
  private int gpus;
  private int quotas = 1;
  private int asked;
  private boolean leading = true;
  private Instant now = Instant.parse("2026-11-21T08:00:00.5Z");

  private final QuotaStatusWriter writer =
      new QuotaStatusWriter(
          this,
          new QuotaStatusWriter.Sums(
              namespace ->
                  ImmutableList.of(
                      new QuotaUse(LIMIT, new QuotaCharge(1_000L * gpus, 80 * GIB * gpus))),
              namespace -> {
                asked++;
                return waiting;
              }),
          () -> leading,
          () -> now);

  @Override
  public ImmutableList<StoredQuota> all() {
    return ImmutableList.copyOf(
        Collections.nCopies(quotas, new StoredQuota(new ObjectKey("ns", "team"), "uid", stored)));
  }

  @Override
  public WriteOutcome.Kind write(StoredQuota seen, GpuQuotaStatus status) {
    writes.add(status);
    return answer;
  }

  private List<GpuQuotaStatus> run() {
    writer.runOnce();
    List<GpuQuotaStatus> all = List.copyOf(writes);
    writes.clear();
    return all;
  }

  /** The cache shows what is written. */
  private GpuQuotaStatus written() {
    GpuQuotaStatus status = run().get(0);
    stored = Optional.of(status);
    return status;
  }

  private static GpuQuotaStatus status(
      String gpus, String memory, int waiting, Condition condition) {
    return new GpuQuotaStatus(
        new GpuQuotaStatus.Used(gpus, memory), waiting, ImmutableList.of(condition));
  }

  private static Condition exceeded(String status, String reason, String message, String since) {
    return new Condition("Exceeded", status, reason, message, since);
  }

  @Test
  void theStatusHasTheFiguresAndIsWrittenWhenTheyDiffer() {
    gpus = 2;
    assertThat(written())
        .isEqualTo(
            status(
                "2",
                "160Gi",
                0,
                exceeded(
                    "False",
                    "WithinLimits",
                    "gpus 2 of 2, memory 160Gi of 200Gi in use; 0 claims wait",
                    "2026-11-21T08:00:00Z")));
    assertThat(run()).isEmpty();
    gpus = 1;
    assertThat(run()).hasSize(1);
  }

  @Test
  void theTimeOfTheConditionIsThatOfItsLastChange() {
    gpus = 2;
    written();
    now = now.plusSeconds(60);
    waiting.add("team", 3);
    waiting.add("another");
    assertThat(written())
        .isEqualTo(
            status(
                "2",
                "160Gi",
                3,
                exceeded(
                    "True",
                    "ClaimsWait",
                    "gpus 2 of 2, memory 160Gi of 200Gi in use; 3 claims wait",
                    "2026-11-21T08:01:00Z")));
    now = now.plusSeconds(60);
    gpus = 3;
    assertThat(written().conditions())
        .containsExactly(
            exceeded(
                "True",
                "OverLimit",
                "gpus 3 of 2, memory 240Gi of 200Gi in use; 3 claims wait",
                "2026-11-21T08:01:00Z"));
  }

  @Test
  void nothingIsWrittenTwiceWhileTheCacheIsBehind() {
    assertThat(run()).hasSize(1);
    assertThat(run()).isEmpty();
    gpus = 1;
    assertThat(run()).hasSize(1);
    assertThat(run()).isEmpty();
  }

  @Test
  void aWriteWithoutAnAnswerIsRepeatedAndOneThatIsRejectedIsNot() {
    answer = WriteOutcome.Kind.UNCLEAR;
    assertThat(run()).hasSize(1);
    assertThat(run()).hasSize(1);
    answer = WriteOutcome.Kind.REJECTED;
    assertThat(run()).hasSize(1);
    assertThat(run()).isEmpty();
  }

  @Test
  void whatAnotherClientChangesIsPutRightAndItsConditionsAreNotOurs() {
    GpuQuotaStatus ours = written();
    Condition foreign = new Condition("Theirs", "True", null, null, null);
    stored =
        Optional.of(
            new GpuQuotaStatus(
                ours.used(),
                ours.waitingClaims(),
                List.of(foreign, requireNonNull(ours.conditions()).get(0))));
    assertThat(run()).isEmpty();
    stored = Optional.of(new GpuQuotaStatus(null, 7, ours.conditions()));
    assertThat(run()).containsExactly(ours);
  }

  @Test
  void theClaimsThatWaitAreCountedOnceForAllQuotasOfTheirNamespace() {
    quotas = 100;
    run();
    assertThat(asked).isEqualTo(1);
  }

  @Test
  void aStandbyWritesNothing() {
    leading = false;
    assertThat(run()).isEmpty();
  }
}
