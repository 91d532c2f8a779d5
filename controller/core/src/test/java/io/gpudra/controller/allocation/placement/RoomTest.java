package io.gpudra.controller.allocation.placement;

import static io.gpudra.controller.allocation.placement.Worlds.a100s;
import static io.gpudra.controller.allocation.placement.Worlds.claim;
import static io.gpudra.controller.allocation.placement.Worlds.mig;
import static io.gpudra.controller.allocation.placement.Worlds.whole;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.controller.allocation.search.SearchBudget;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whether there is room, without the reasons. */
class RoomTest {
  private static final NodeLedger TWO = a100s(2);

  private static PodRequest parts(int first, int second) {
    return new PodRequest(
        ImmutableList.of(claim("a", mig("3g.20gb", first)), claim("b", mig("4g.20gb", second))));
  }

  @ParameterizedTest
  @CsvSource({"1, 1, true", "2, 2, true", "1, 3, false", "3, 2, false", "9, 9, false"})
  void thereIsRoomForWhatWouldBePlaced(int first, int second, boolean room) {
    assertThat(PodPlacer.place(TWO, parts(first, second), new SearchBudget()))
        .isInstanceOf(room ? Placement.Fits.class : Placement.DoesNotFit.class);
    assertThat(PodPlacer.hasRoom(TWO, parts(first, second), new SearchBudget())).isEqualTo(room);
  }

  @ParameterizedTest
  @CsvSource({"2, true", "3, false"})
  void thereIsRoomForWholeGpus(int gpus, boolean room) {
    PodRequest request = new PodRequest(ImmutableList.of(claim("a", whole(gpus, -1))));

    assertThat(PodPlacer.hasRoom(TWO, request, new SearchBudget())).isEqualTo(room);
  }

  @Test
  void noReasonIsSearchedFor() {
    SearchBudget asked = new SearchBudget();
    SearchBudget explained = new SearchBudget();
    PodPlacer.hasRoom(TWO, parts(1, 3), asked);
    PodPlacer.refusal(TWO, parts(1, 3), explained);

    assertThat(asked.used()).isPositive().isLessThan(explained.used());
  }
}
