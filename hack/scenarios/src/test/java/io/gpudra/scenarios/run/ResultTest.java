package io.gpudra.scenarios.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedMap;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class ResultTest {

  @Test
  void aPassIsOneLineWithWhatEachContainerSaw() {
    Result result =
        new Result(
            "01-x",
            ImmutableSortedMap.of("a/c", "gpu-0 on worker-0", "b/c", "gpu-1 on worker-0"),
            ImmutableList.of(),
            Duration.ofMillis(1250));
    assertThat(result.line())
        .startsWith("PASS  01-x ")
        .contains("1.3 s")
        .endsWith("saw: a/c gpu-0 on worker-0, b/c gpu-1 on worker-0");
  }

  @Test
  void aFailureTellsTheDifferences() {
    Result result =
        new Result(
            "01-x",
            ImmutableSortedMap.of(),
            ImmutableList.of("container a/c: expected 4 GPUs, saw no GPU"),
            Duration.ZERO);
    assertThat(result.line())
        .startsWith("FAIL  01-x ")
        .endsWith("saw: nothing; but container a/c: expected 4 GPUs, saw no GPU");
  }

  @Test
  void manifestsHoldSeveralObjectsAndEmptyDocumentsAreNone() throws IOException {
    assertThat(Manifests.parse("# head\n---\nkind: A\n---\nkind: B\n", "x"))
        .extracting(object -> object.path("kind").asText())
        .containsExactly("A", "B");
  }

  @Test
  void aDocumentThatIsNoObjectIsRefusedWithItsFile() {
    assertThatThrownBy(() -> Manifests.parse("- a\n", "some.yaml"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("some.yaml");
  }
}
