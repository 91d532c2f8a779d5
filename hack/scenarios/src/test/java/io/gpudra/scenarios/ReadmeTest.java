package io.gpudra.scenarios;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** The README is short, and leads to everything else. */
class ReadmeTest {
  private static final String README = "README.md";

  @Test
  void itHasFewLines() {
    assertThat(Pages.text(README).lines()).hasSizeLessThanOrEqualTo(150);
  }

  @Test
  void itShowsTheDriverAndTestsItWithOneCommandEach() throws IOException {
    ImmutableList<String> commands =
        Pages.blocks().stream()
            .filter(block -> block.page().equals(README) && block.language().isEmpty())
            .flatMap(Pages.Block::commands)
            .collect(toImmutableList());

    assertThat(commands).contains("hack/demo", "mvn verify");
  }

  @Test
  void theIndexOfTheDocumentationNamesEveryPage() throws IOException {
    String index = Pages.text("docs/README.md");

    assertThat(Pages.all())
        .filteredOn(page -> page.startsWith("docs/") && !page.equals("docs/README.md"))
        .hasSizeGreaterThan(20)
        .allSatisfy(page -> assertThat(index).contains("](" + page.substring(5) + ")"));
  }
}
