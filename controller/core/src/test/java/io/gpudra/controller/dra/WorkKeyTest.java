package io.gpudra.controller.dra;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.HoldOwner;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class WorkKeyTest {

  @Test
  void workOfEachKindIsAnOwnerOfItsOwn() {
    ObjectKey key = new ObjectKey("ns", "a");

    assertThat(
            Stream.of(
                    WorkKey.claim(new ClaimRef("ns", "a")), WorkKey.context(key), WorkKey.gate(key))
                .map(WorkKey::owner)
                .map(HoldOwner::name))
        .containsExactly("claim:ns/a", "context:ns/a", "gate:ns/a");
  }
}
