package io.gpudra.process;

import java.lang.management.ManagementFactory;
import java.util.Set;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * Diagnostics of the JVM: its threads, the classes on its heap, the use of time. Never values of
 * objects, since tenants' data and tokens are among them.
 */
public final class JvmDiagnostics {

  /** The JVM's diagnostic commands, those of {@code jcmd}. */
  private static final String COMMANDS = "com.sun.management:type=DiagnosticCommand";

  private JvmDiagnostics() {}

  /**
   * Adds the pages to a port of the loopback address. A runtime may lack the module that records.
   */
  public static HttpPort addTo(HttpPort port) {
    port.add("/debug/threads", query -> run("threadPrint", query.keySet()))
        .add("/debug/classes", query -> run("gcClassHistogram", query.keySet()));
    ModuleLayer.boot()
        .findModule("jdk.jfr")
        .ifPresent(module -> port.add("/debug/recording", new RecordingPage()));
    return port;
  }

  private static PageContent run(String command, Set<String> parameters) {
    if (!parameters.isEmpty()) {
      return unknown(parameters, "none");
    }
    try {
      Object text =
          ManagementFactory.getPlatformMBeanServer()
              .invoke(
                  new ObjectName(COMMANDS),
                  command,
                  new Object[] {new String[0]},
                  new String[] {String[].class.getName()});
      return PageContent.text(200, text.toString().strip());
    } catch (JMException e) {
      throw new IllegalStateException(e);
    }
  }

  static PageContent unknown(Set<String> parameters, String allowed) {
    return PageContent.text(
        400,
        "unknown parameter \"%s\": there is %s".formatted(parameters.iterator().next(), allowed));
  }
}
