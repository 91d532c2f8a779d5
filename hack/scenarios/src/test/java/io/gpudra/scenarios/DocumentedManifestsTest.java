package io.gpudra.scenarios;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.controller.lint.ManifestLinter;
import io.gpudra.controller.lint.ManifestText;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The manifests of the pages can be applied as they are. */
class DocumentedManifestsTest {
  private static final ManifestLinter LINT = new ManifestLinter("gpu.resource.example.com", "");

  @Test
  void lintFindsNothing() throws IOException {
    List<ManifestText> manifests =
        Pages.blocks().stream()
            .filter(block -> block.language().equals("yaml"))
            .map(block -> new ManifestText(block.page(), block.text()))
            .toList();

    assertThat(manifests)
        .hasSizeGreaterThan(5)
        .allSatisfy(
            manifest ->
                assertThat(LINT.of(List.of(manifest)).findings()).as(manifest.name()).isEmpty());
  }
}
