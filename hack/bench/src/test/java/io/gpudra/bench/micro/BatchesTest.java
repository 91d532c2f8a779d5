package io.gpudra.bench.micro;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.controller.allocation.placement.Placement;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BatchesTest {

  @ParameterizedTest
  @ValueSource(ints = {8, 16})
  void allCanBePlacedThoughNotAllByFirstFit(int devices) {
    Batches batches = Batches.on(devices);

    assertThat(batches.requests()).hasSize(Batches.COUNT);
    assertThat(batches.requests())
        .allSatisfy(one -> assertThat(batches.exact(one)).isInstanceOf(Placement.Fits.class));
    assertThat(Batches.lost(devices)).isStrictlyBetween(0.0, 100.0);
  }
}
