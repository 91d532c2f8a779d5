package io.gpudra.process;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.OutputStreamAppender;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.bridge.SLF4JBridgeHandler;
import picocli.CommandLine.Option;

/** The level and the format of the log. */
public final class LogOptions {

  /** A line for people, or an object for a log collector. */
  enum Format {
    TEXT,
    JSON
  }

  @Option(
      names = "--log-level",
      paramLabel = "LEVEL",
      defaultValue = "${env:LOG_LEVEL:-info}",
      description = "error, warn, info, debug or trace (env LOG_LEVEL; default: ${DEFAULT-VALUE})")
  org.slf4j.event.Level level = org.slf4j.event.Level.INFO;

  @Option(
      names = "--log-format",
      paramLabel = "FORMAT",
      defaultValue = "${env:LOG_FORMAT:-text}",
      description = "text or json, a line for each (env LOG_FORMAT; default: ${DEFAULT-VALUE})")
  Format format = Format.TEXT;

  /** Redirects java.util.logging, which libraries use. Call before the first log message. */
  public static void captureJavaLogging() {
    SLF4JBridgeHandler.removeHandlersForRootLogger();
    SLF4JBridgeHandler.install();
  }

  /** Overrides the settings of logback.xml. */
  public void apply() {
    LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    context.getLogger("io.gpudra").setLevel(Level.convertAnSLF4JLevel(level));
    if (format == Format.JSON) {
      writeJson(context);
    }
  }

  private static void writeJson(LoggerContext context) {
    context
        .getLogger(Logger.ROOT_LOGGER_NAME)
        .iteratorForAppenders()
        .forEachRemaining(
            appender ->
                ((OutputStreamAppender<ILoggingEvent>) appender).setEncoder(encoder(context)));
  }

  private static JsonEncoder encoder(LoggerContext context) {
    JsonEncoder encoder = new JsonEncoder();
    encoder.setContext(context);
    encoder.setWithSequenceNumber(false);
    encoder.setWithNanoseconds(false);
    encoder.setWithContext(false);
    encoder.setWithMDC(false);
    encoder.setWithMessage(false);
    encoder.setWithArguments(false);
    encoder.setWithFormattedMessage(true);
    encoder.start();
    return encoder;
  }
}
