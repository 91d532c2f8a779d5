package io.gpudra.bench.real;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Tells who asked what of the API server for one pod, and when: where its time went. */
@Command(name = "trace", description = "Prints the requests about one pod, as Markdown.")
final class Trace implements Callable<Integer> {
  private static final double NANOS_PER_SECOND = 1e9;

  @Option(names = "--audit-log", required = true)
  private Path auditLog = Path.of("");

  @Option(names = "--namespace", required = true)
  private String namespace = "";

  @Parameters(paramLabel = "POD")
  private String pod = "";

  @Override
  public Integer call() throws IOException {
    try (AuditLog log = new AuditLog(auditLog)) {
      System.out.print(of(log.next(), namespace, pod));
    }
    return 0;
  }

  /** Of the pod, its scheduling context and its claims, whose names begin with that of the pod. */
  static String of(List<AuditEvent> events, String namespace, String pod) {
    ImmutableList<AuditEvent> about =
        events.stream()
            .filter(event -> event.namespace().equals(namespace))
            .filter(event -> event.name().equals(pod) || event.name().startsWith(pod + "-"))
            .sorted(Comparator.comparing(AuditEvent::received))
            .collect(ImmutableList.toImmutableList());
    if (about.isEmpty()) {
      throw new IllegalArgumentException("no request about %s/%s".formatted(namespace, pod));
    }
    Instant begin = about.get(0).received();
    return about.stream()
        .map(event -> line(begin, event))
        .collect(
            Collectors.joining("\n", "| s | who | request | answer |\n|---:|---|---|---|\n", "\n"));
  }

  private static String line(Instant begin, AuditEvent event) {
    return String.format(
        Locale.ROOT,
        "| %.3f | %s | %s %s | %d |",
        Duration.between(begin, event.received()).toNanos() / NANOS_PER_SECOND,
        event.user().replaceFirst("^.*:", ""),
        event.verb(),
        event.resource(),
        event.code());
  }
}
