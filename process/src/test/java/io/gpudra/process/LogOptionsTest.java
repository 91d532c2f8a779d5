package io.gpudra.process;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.OutputStreamAppender;
import java.io.ByteArrayOutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;

class LogOptionsTest {

  private final LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
  private final ch.qos.logback.classic.Logger ours = context.getLogger("io.gpudra");
  private final OutputStreamAppender<ILoggingEvent> appender =
      (OutputStreamAppender<ILoggingEvent>)
          context.getLogger(Logger.ROOT_LOGGER_NAME).iteratorForAppenders().next();
  private final ch.qos.logback.core.encoder.Encoder<ILoggingEvent> usual = appender.getEncoder();
  private final Level usualLevel = ours.getLevel();

  @BeforeEach
  @AfterEach
  void asUsual() {
    appender.setEncoder(usual);
    ours.setLevel(usualLevel);
  }

  private static LogOptions parse(String... args) {
    LogOptions options = new LogOptions();
    command(options).parseArgs(args);
    return options;
  }

  private static CommandLine command(LogOptions options) {
    return new CommandLine(CommandLine.Model.CommandSpec.forAnnotatedObject(options))
        .setCaseInsensitiveEnumValuesAllowed(true);
  }

  @Test
  void aLevelIsThatOfOurOwnLoggers() {
    parse("--log-level=debug").apply();

    assertThat(ours.getLevel()).isEqualTo(Level.DEBUG);
    assertThat(context.getLogger("io.netty").isDebugEnabled()).isFalse();
  }

  @Test
  void anEventIsALineOfJsonWhenWanted() {
    parse("--log-format=json").apply();
    ByteArrayOutputStream written = new ByteArrayOutputStream();
    appender.setOutputStream(written);

    ours.error("cannot start why={}", "\"quoted\"");

    assertThat(written.toString(StandardCharsets.UTF_8))
        .contains("\"level\":\"ERROR\"", "\"formattedMessage\":\"cannot start why=\\\"quoted\\\"\"")
        .endsWith("}\n");
  }

  @ParameterizedTest
  @CsvSource({
    "--log-level=loud, ERROR",
    "--log-format=xml, JSON",
  })
  void anythingElseIsRefusedWithWhatIsAllowed(String wrong, String allowed) {
    StringWriter said = new StringWriter();
    CommandLine command = command(new LogOptions()).setErr(new PrintWriter(said));

    assertThat(command.execute(wrong)).isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(said.toString()).contains(allowed);
  }
}
