package io.gpudra.scenarios;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.controller.lint.Lint;
import io.gpudra.controller.lint.Source;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The manifests of the pages can be applied as they are. */
class DocumentedManifestsTest {
  private static final Lint LINT = new Lint("gpu.resource.example.com", "");

  @Test
  void lintFindsNothing() throws IOException {
    List<Source> manifests =
        Pages.blocks().stream()
            .filter(block -> block.language().equals("yaml"))
            .map(block -> new Source(block.page(), block.text()))
            .toList();

    assertThat(manifests)
        .hasSizeGreaterThan(5)
        .allSatisfy(
            manifest ->
                assertThat(LINT.of(List.of(manifest)).findings()).as(manifest.name()).isEmpty());
  }
}
