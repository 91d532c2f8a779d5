package io.gpudra.bench.real;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AuditLogTest {
  private static final String BINDING =
      """
      {"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","stage":"ResponseComplete",\
      "requestURI":"/api/v1/namespaces/test/pods/pod-1/binding?timeout=10s","verb":"create",\
      "user":{"username":"system:kube-scheduler","groups":["system:authenticated"]},\
      "objectRef":{"resource":"pods","namespace":"test","name":"pod-1","apiVersion":"v1","subresource":"binding"},\
      "responseStatus":{"metadata":{},"code":201},\
      "requestReceivedTimestamp":"2026-11-21T15:00:00.250000Z","stageTimestamp":"2026-11-21T15:00:00.500000Z"}
      """;
  private static final String DISCOVERY =
      """
      {"requestURI":"/api","verb":"get","user":{"username":"admin"},"responseStatus":{"code":200},\
      "requestReceivedTimestamp":"2026-11-21T15:00:00.250000Z","stageTimestamp":"2026-11-21T15:00:00.500000Z"}
      """;

  @Test
  void aRequestIsReadWithWhoWhatAndWhen() {
    AuditEvent event = AuditEvent.parse(BINDING);

    assertThat(event)
        .isEqualTo(
            new AuditEvent(
                "system:kube-scheduler",
                "create",
                "pods/binding",
                "test",
                "pod-1",
                201,
                Instant.parse("2026-11-21T15:00:00.250Z"),
                Instant.parse("2026-11-21T15:00:00.500Z")));
    assertThat(event.bindsPod()).isTrue();
  }

  @Test
  void aRequestForNoResourceIsKnownByItsPath() {
    assertThat(AuditEvent.parse(DISCOVERY).resource()).isEqualTo("/api");
  }

  @Test
  void aLineIsReadOnceItIsComplete(@TempDir Path directory) throws IOException {
    Path file = Files.writeString(directory.resolve("audit.log"), BINDING);
    try (AuditLog log = new AuditLog(file)) {
      append(file, DISCOVERY.substring(0, 20));
      assertThat(log.next()).extracting(AuditEvent::resource).containsExactly("pods/binding");
      assertThat(log.next()).isEmpty();

      append(file, DISCOVERY.substring(20));
      assertThat(log.next()).extracting(AuditEvent::resource).containsExactly("/api");
    }
  }

  private static void append(Path file, String text) throws IOException {
    Files.writeString(file, text, StandardOpenOption.APPEND);
  }
}
