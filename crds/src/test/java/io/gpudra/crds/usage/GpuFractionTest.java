package io.gpudra.crds.usage;

import static io.gpudra.crds.usage.A100.gpuInstance;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.Part.Instance;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.testing.GpuModels;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class GpuFractionTest {
  private static final Gpu GPU =
      GpuModels.gpu(A100.UUID, 0, GpuModels.A100).with(GpuModels.enabled());

  static Stream<Arguments> parts() {
    return Stream.of(
        arguments("all of it", new Part.Whole(), 1.0),
        arguments("1 of 8 memory slices", gpuInstance("1g.5gb", 6, Optional.empty()), 0.125),
        arguments("2 of 8 memory slices", gpuInstance("1g.10gb", 0, Optional.empty()), 0.25),
        arguments("all memory slices", gpuInstance("7g.40gb", 0, Optional.empty()), 1.0),
        arguments(
            "1 of 3 compute slices of half of it",
            gpuInstance("3g.20gb", 4, Optional.of(new Instance(0, 1))),
            0.5 / 3),
        arguments("its part of the memory", new Part.Share(10 * A100.GIB, 900), 0.25));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("parts")
  void aPartIsAsMuchOfAGpuAsItHasOfTheMemory(String what, Part part, double portion) {
    assertThat(GpuFraction.of(part, GPU)).as(what).isEqualTo(portion);
  }
}
