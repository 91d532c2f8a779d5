package io.gpudra.scenarios;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Nodes, GPUs and claims of tests are made by the fixtures of docs/contributing/testing.md. */
class TestFixturesTest {
  private static ImmutableList<String> tests = ImmutableList.of();

  @BeforeAll
  static void read() throws IOException {
    ImmutableList.Builder<String> all = ImmutableList.builder();
    for (Path file : SourceFiles.tests()) {
      all.add(Files.readString(file));
    }
    tests = all.build();
    assertThat(tests).hasSizeGreaterThan(500);
  }

  /** Each number may only become smaller. */
  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "Inventory, 2",
    "NodeState, 6",
    "GpuModel, 6",
    "MigProfile, 3",
    "DeviceTaint, 6",
    "GrantedPart, 15",
    "ClaimFacts, 3",
    "ClaimRequest, 1",
  })
  void fewAreWrittenDownWhole(String type, int maxSites) {
    Splitter sites = Splitter.on("new " + type + "(");

    assertThat(tests.stream().mapToInt(text -> sites.splitToList(text).size() - 1).sum())
        .isLessThanOrEqualTo(maxSites);
  }
}
