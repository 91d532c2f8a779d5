package io.gpudra.kubeletplugin.app;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.pattern.ThrowableProxyConverter;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.LayoutBase;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.spi.ContextAwareBase;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import org.slf4j.Logger;

/**
 * Logs lines to standard error, unless there is a logback configuration file. Reading such a file
 * takes 500 classes, which is 3 MiB on every node of a cluster.
 */
public final class LogLines extends ContextAwareBase implements Configurator {

  @Override
  public ExecutionStatus configure(LoggerContext context) {
    if (configuredByFile()) {
      return ExecutionStatus.INVOKE_NEXT_IF_ANY;
    }
    write(context);
    return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
  }

  private static boolean configuredByFile() {
    return System.getProperty("logback.configurationFile") != null
        || LogLines.class.getResource("/logback-test.xml") != null
        || LogLines.class.getResource("/logback.xml") != null;
  }

  static void write(LoggerContext context) {
    context.getLogger(Logger.ROOT_LOGGER_NAME).setLevel(Level.INFO);
    context.getLogger(Logger.ROOT_LOGGER_NAME).addAppender(standardError(context));
    // Netty warns of an unknown SO_KEEPALIVE once for each connection to a Unix socket.
    context.getLogger("io.netty.bootstrap").setLevel(Level.ERROR);
  }

  private static ConsoleAppender<ILoggingEvent> standardError(LoggerContext context) {
    Line line = new Line();
    line.setContext(context);
    line.start();
    LayoutWrappingEncoder<ILoggingEvent> encoder = new LayoutWrappingEncoder<>();
    encoder.setContext(context);
    encoder.setLayout(line);
    encoder.start();
    ConsoleAppender<ILoggingEvent> appender = new ConsoleAppender<>();
    appender.setContext(context);
    appender.setTarget("System.err");
    appender.setEncoder(encoder);
    appender.start();
    return appender;
  }

  /** {@code 2026-01-31T12:00:00.000Z INFO PluginMain message}, and the stack of an exception. */
  static final class Line extends LayoutBase<ILoggingEvent> {
    private static final DateTimeFormatter TIME =
        DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

    private final ThrowableProxyConverter thrown = new ThrowableProxyConverter();

    @Override
    public void start() {
      thrown.start();
      super.start();
    }

    @Override
    public String doLayout(ILoggingEvent event) {
      String logger = event.getLoggerName();
      return "%s %-5s %s %s%n%s"
          .formatted(
              TIME.format(event.getInstant()),
              event.getLevel(),
              logger.substring(logger.lastIndexOf('.') + 1),
              event.getFormattedMessage(),
              event.getThrowableProxy() == null ? "" : thrown.convert(event));
    }
  }
}
