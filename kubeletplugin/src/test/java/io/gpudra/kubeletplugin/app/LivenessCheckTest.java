package io.gpudra.kubeletplugin.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.process.PageContent;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LivenessCheckTest {
  private final AtomicInteger evaluations = new AtomicInteger();

  /** Each takes two calls over the sockets, on the threads that prepare claims. */
  @Test
  void aFloodOfProbesIsEvaluatedOnce() {
    LivenessCheck liveness =
        new LivenessCheck(Optional::empty, () -> evaluations.incrementAndGet() > 0);

    for (int i = 0; i < 1_000; i++) {
      assertThat(liveness.content()).isEqualTo(PageContent.text(200, "ok"));
    }

    assertThat(evaluations).hasValueLessThan(10);
  }

  @Test
  void aProblemIsTold() {
    assertThat(new LivenessCheck(() -> Optional.of("moved"), () -> true).content())
        .isEqualTo(PageContent.text(503, "moved"));
    assertThat(new LivenessCheck(Optional::empty, () -> false).content())
        .isEqualTo(PageContent.text(503, "a socket does not answer"));
  }
}
