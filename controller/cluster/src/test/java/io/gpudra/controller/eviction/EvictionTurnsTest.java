package io.gpudra.controller.eviction;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.node.DeviceTaint.Effect;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** In which order pods are asked to leave. */
class EvictionTurnsTest extends EvictionScene {

  @ParameterizedTest
  @EnumSource(names = {"EVICTED", "BLOCKED"})
  void aNodeThatBackdatesItsTaintsTakesTurnsWithOthers(Answer answer) {
    observe("evil", SERVING, taint(Effect.NO_EXECUTE, Optional.of(Instant.EPOCH)));
    for (int i = 0; i < 20; i++) {
      use("evil", "evil-" + i);
      answers.put("evil-" + i, answer);
    }
    tainted("good");
    rounds(2);
    assertThat(asked.get(0)).startsWith("evil");
    assertThat(asked).endsWith("on-good");
  }

  @Test
  void podsWhoseTolerationsCannotBeReadAnyMoreDelayNoOther() {
    tolerations = Optional.of(ImmutableList.of(minute("xid")));
    observe("a", SERVING, taint(Effect.NO_EXECUTE, Optional.of(now.minusSeconds(5))));
    use("a", "readable");
    for (int i = 0; i < Evictor.MAX_ASKED; i++) {
      use("a", "broken-" + i);
    }
    rounds(55);
    pods.keySet().stream().filter(ref -> ref.name().startsWith("broken")).forEach(unreadable::add);
    rounds(2);
    assertThat(asked).containsExactly("readable");
  }
}
