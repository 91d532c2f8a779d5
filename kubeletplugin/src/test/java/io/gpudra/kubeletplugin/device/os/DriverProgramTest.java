package io.gpudra.kubeletplugin.device.os;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.io.IOException;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DriverProgramTest {

  private static final Duration LONG = Duration.ofSeconds(60);

  private static DriverProgram shell(String script) {
    return new DriverProgram(ImmutableList.of("sh", "-c", script), ImmutableMap.of("NAME", "gpu"));
  }

  @Test
  void tellsWhatWasSaidAndHowItEnded() throws IOException {
    assertThat(shell("read -r line; echo $line $NAME; echo bad >&2; exit 3").run("of\n", LONG))
        .isEqualTo(new DriverProgram.Result(3, "of gpu\nbad"));
  }

  /** More than a pipe holds, so that it is still being written when the program ends. */
  @Test
  void whatIsNotReadHidesNotWhatWasSaid() throws IOException {
    assertThat(shell("echo nobody listens; exit 1").run("x".repeat(1 << 20), LONG))
        .isEqualTo(new DriverProgram.Result(1, "nobody listens"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"exec sleep 600", "exec yes"})
  void nobodyWaitsForOneThatHangsOrTalksOn(String script) {
    assertThatThrownBy(() -> shell(script).run("", Duration.ofMillis(200)))
        .hasMessage("sh -c %s does not end", script);
    Awaitility.await("it is ended")
        .atMost(LONG)
        .until(() -> ProcessHandle.current().children().noneMatch(ProcessHandle::isAlive));
  }
}
