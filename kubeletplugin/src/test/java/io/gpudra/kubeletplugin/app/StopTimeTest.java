package io.gpudra.kubeletplugin.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The kubelet kills a plugin that stops for longer: then nobody would say that it stopped. */
class StopTimeTest {

  private static final Duration REST_OF_THE_PROCESS = Duration.ofSeconds(5);

  @ParameterizedTest
  @ValueSource(strings = {"base/kubeletplugin.yaml", "chart/templates/kubeletplugin.yaml"})
  void allThatAStopWaitsForFitsIntoTheGraceOfThePod(String manifest) throws IOException {
    String text = Files.readString(Path.of("../manifests").resolve(manifest));
    assertThat(Pattern.compile("terminationGracePeriodSeconds: (.*)").matcher(text).results())
        .extracting((MatchResult found) -> Duration.ofSeconds(Long.parseLong(found.group(1))))
        .singleElement()
        .satisfies(
            grace ->
                assertThat(PluginProcess.MAX_STOP.plus(REST_OF_THE_PROCESS))
                    .isLessThanOrEqualTo(grace));
  }
}
