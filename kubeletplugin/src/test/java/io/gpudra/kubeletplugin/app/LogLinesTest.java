package io.gpudra.kubeletplugin.app;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator.ExecutionStatus;
import ch.qos.logback.classic.spi.LoggingEvent;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LogLinesTest {
  private static final String LINE =
      "2026-01-31T12:00:00.007Z INFO  PluginMain plugin serves node=n-1";

  private final LoggerContext context = new LoggerContext();
  private final LogLines.Line line = new LogLines.Line();

  @BeforeEach
  void writes() {
    LogLines.write(context);
    line.start();
  }

  @AfterEach
  void ends() {
    context.stop();
  }

  private String written(@Nullable Throwable thrown) {
    LoggingEvent event =
        new LoggingEvent(
            "",
            context.getLogger("io.gpudra.kubeletplugin.app.PluginMain"),
            Level.INFO,
            "plugin serves node={}",
            thrown,
            new Object[] {"n-1"});
    event.setInstant(Instant.parse("2026-01-31T12:00:00.007Z"));
    return line.doLayout(event);
  }

  @Test
  void aLineHasTimeLevelClassAndMessage() {
    assertThat(written(null)).isEqualTo(LINE + System.lineSeparator());
  }

  @Test
  void whatWasThrownComesWithItsStack() {
    assertThat(written(new IllegalStateException("no driver")).lines())
        .startsWith(LINE, "java.lang.IllegalStateException: no driver")
        .anyMatch(line -> line.startsWith("\tat io.gpudra.kubeletplugin.app.LogLinesTest"));
  }

  @Test
  void librariesAreHeardFromInformationOnAndNettysSocketsOnlyWhenTheyFail() {
    assertThat(context.getLogger("io.grpc").getEffectiveLevel()).isEqualTo(Level.INFO);
    assertThat(context.getLogger("io.netty.bootstrap.Bootstrap").getEffectiveLevel())
        .isEqualTo(Level.ERROR);
  }

  @Test
  void aFileOfLogbackCounts() {
    assertThat(new LogLines().configure(context)).isEqualTo(ExecutionStatus.INVOKE_NEXT_IF_ANY);
  }
}
