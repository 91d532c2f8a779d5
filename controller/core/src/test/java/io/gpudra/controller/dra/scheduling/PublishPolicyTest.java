package io.gpudra.controller.dra.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.controller.dra.queue.PublishHistory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When the scheduler is told what. */
final class PublishPolicyTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          # news        | may hear good | told within 1 s | now
          NONE          | true          | false           | false
          GOOD          | true          | true            | true
          GOOD          | false         | false           | false
          BAD_FOR_LATER | false         | false           | false
          BAD_FOR_LATER | true          | false           | true
          BAD_FOR_NEXT  | false         | false           | true
          BAD_FOR_NEXT  | false         | true            | false
          BAD_FOR_NEXT  | true          | true            | true
          BAD_NOW       | false         | true            | true
          """)
  void isNowOrHeldBack(
      UnsuitableNodesDiff unsuitableNodesDiff, boolean mayHear, boolean lately, boolean now) {
    PublishHistory history = new PublishHistory(lately, lately, mayHear);

    assertThat(
            PublishPolicy.of(
                    unsuitableNodesDiff, history, /* selected= */ true, /* hopeful= */ false)
                .now())
        .isEqualTo(now);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          # news  | selected | told since the last attempt | hopeful | look again soon
          NONE    | true     | true                        | true    | true
          NONE    | true     | true                        | false   | false
          NONE    | true     | false                       | true    | false
          NONE    | false    | true                        | true    | false
          # held back
          GOOD    | true     | true                        | false   | true
          GOOD    | true     | false                       | false   | false
          # told in this pass
          BAD_NOW | true     | false                       | true    | true
          BAD_NOW | true     | false                       | false   | false
          """)
  void aPodIsLookedAtSoonWhileWhatItWasToldIsAboutToBeUsed(
      UnsuitableNodesDiff unsuitableNodesDiff,
      boolean selected,
      boolean told,
      boolean hopeful,
      boolean soon) {
    PublishHistory history =
        new PublishHistory(/* lately= */ false, told, /* mayPublishSuitable= */ false);

    assertThat(PublishPolicy.of(unsuitableNodesDiff, history, selected, hopeful).requeueSoon())
        .isEqualTo(soon);
  }
}
