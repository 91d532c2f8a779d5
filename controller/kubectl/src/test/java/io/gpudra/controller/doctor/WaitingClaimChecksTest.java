package io.gpudra.controller.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.access.ClusterView;
import io.gpudra.controller.access.ClusterViews;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.view.UserView;
import io.gpudra.controller.view.dryrun.QueryDeadline;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class WaitingClaimChecksTest {
  private final AtomicLong nanos = new AtomicLong();

  /** Of three claims of a class that there is not, with so many looks at the clock. */
  private InstallationCollector.Result judged(long looks) {
    ClusterView sight =
        ClusterViews.of(
            ImmutableList.of(
                Some.claim("a").facts(), Some.claim("b").facts(), Some.claim("c").facts()),
            ImmutableList.of());
    return new WaitingClaimChecks(
            UserView.of(sight, "gpu.resource.example.com", Some.EPOCH),
            new QueryDeadline(nanos::incrementAndGet, looks))
        .result();
  }

  @Test
  void claimsThatThereIsNoTimeForAreSaidToBeUnseen() {
    InstallationCollector.Result one = judged(1);

    assertThat(one.diagnoses()).extracting(Diagnosis::subject).containsExactly("claim default/a");
    assertThat(one.unseen()).containsExactly("2 waiting claims: time limit reached");
  }

  @Test
  void whoHasTimeJudgesAll() {
    InstallationCollector.Result all = judged(100);

    assertThat(all.diagnoses()).hasSize(3);
    assertThat(all.unseen()).isEmpty();
  }
}
