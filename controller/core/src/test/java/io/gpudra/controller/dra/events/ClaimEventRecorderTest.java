package io.gpudra.controller.dra.events;

import static io.gpudra.controller.dra.testing.Some.claim;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.ReportSink;
import io.gpudra.controller.dra.testing.FakeReason;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.crds.model.NamespaceAudience;
import io.gpudra.crds.model.PodRef;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ClaimEventRecorderTest {
  private static final UnsuitableReason FULL = FakeReason.FULL;
  private static final UnsuitableReason NONE = FakeReason.NONE;

  private final List<ReportSink.Warning> told = new ArrayList<>();
  private final List<String> refused = new ArrayList<>();
  private final ClaimEventRecorder claimEventRecorder =
      new ClaimEventRecorder(new Listener(), unused -> ImmutableList.of());

  private final class Listener implements ReportSink {
    @Override
    public void warn(Warning warning) {
      told.add(warning);
    }

    @Override
    public void refused(UnsuitableReason.Kind kind) {
      refused.add(kind.label());
    }
  }

  /** Counts how often it is put into a sentence. */
  private static final class Counted implements UnsuitableReason {
    private int explained;

    @Override
    public Kind kind() {
      return FULL.kind();
    }

    @Override
    public String text(NamespaceAudience reader) {
      return FULL.text(reader);
    }

    @Override
    public long bytes() {
      return 77;
    }

    @Override
    public int shortfall() {
      explained++;
      return FULL.shortfall();
    }
  }

  @Test
  void aRefusalIsCountedOnceByEachOfItsReasonsAndTheyAreItsCauses() {
    claimEventRecorder.refused(
        claim("c").facts(), ImmutableMap.of("n1", FULL, "n2", NONE, "n3", FULL, "n4", NONE));

    assertThat(refused).containsExactlyInAnyOrder("allMatchingInUse", "noneMatch");
    assertThat(told)
        .extracting(ReportSink.Warning::causes)
        .containsExactly(ImmutableSet.of("allMatchingInUse", "noneMatch"));
  }

  @Test
  void whatIsKeptForTheTextIsTold() {
    PodRef pod = new PodRef("ns", "p", "uid");
    claimEventRecorder.refused(
        claim("c").facts(),
        pod,
        ImmutableMap.of("n1", new Counted(), "n2", NONE),
        /* fitting= */ 0,
        ImmutableList.of());

    assertThat(told).extracting(ReportSink.Warning::bytes).containsExactly(77L, 77L);
  }

  @Test
  void whatThousandsAreRefusedWithIsExplainedOnceAndCountedForEach() {
    Counted reason = new Counted();
    ImmutableMap<String, UnsuitableReason> refusals = ImmutableMap.of("n1", reason, "n2", NONE);
    for (int i = 0; i < 3; i++) {
      claimEventRecorder.refused(claim("c" + i).facts(), refusals);
    }

    assertThat(reason.explained).isEqualTo(1);
    assertThat(told).hasSize(3);
    assertThat(refused).hasSize(6);
  }
}
