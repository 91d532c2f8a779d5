package io.gpudra.kubeletplugin.device.mps;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Strings;
import com.google.common.collect.ImmutableSortedSet;
import io.gpudra.kubeletplugin.device.mps.ControlLog.Queue;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With lines as NVIDIA's programs write them. */
class ControlLogTest {

  private static final String QUEUED =
      "[2026-11-27 06:32:42.487 Control 7] NEW CLIENT 8 from user %s: Server is not ready, push"
          + " client to pending list";
  private static final String SERVED =
      "[2026-11-27 06:32:42.487 Control 9] Starting new server 9 for user %s";

  @TempDir Path directory = Path.of("");

  private Path file() {
    return directory.resolve("control.log");
  }

  private void says(String line, String user) throws IOException {
    Files.writeString(
        file(), line.formatted(user) + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  private static Optional<Queue> queue(String served, String... waiting) {
    return Optional.of(new Queue(served, ImmutableSortedSet.copyOf(waiting)));
  }

  @Test
  void whoComesFirstIsServed() throws IOException {
    ControlLog log = new ControlLog(file());
    assertThat(log.queue()).isEmpty();

    says(QUEUED, "1000");
    says(SERVED, "1000");
    says(QUEUED, "1000");

    assertThat(log.queue()).isEmpty();
  }

  @Test
  void anotherUserWaits() throws IOException {
    ControlLog log = new ControlLog(file());
    says(SERVED, "1000");
    says(QUEUED, "2000");

    assertThat(log.queue()).isEqualTo(queue("1000", "2000"));
    says(QUEUED, "2000");
    assertThat(log.queue()).isEqualTo(queue("1000", "2000"));
    says(QUEUED, "3000");
    assertThat(log.queue()).isEqualTo(queue("1000", "2000", "3000"));
    assertThat(log.queue().map(Queue::text))
        .contains(
            "MPS serves one user at a time: processes of user 2000, 3000 wait until those of user"
                + " 1000 have ended");
  }

  @Test
  void whoIsServedAtLastWaitsNoMore() throws IOException {
    ControlLog log = new ControlLog(file());
    says(SERVED, "1000");
    says(QUEUED, "2000");
    assertThat(log.queue()).isPresent();

    says(SERVED, "2000");
    assertThat(log.queue()).isEmpty();
    says(QUEUED, "1000");
    assertThat(log.queue()).isEqualTo(queue("2000", "1000"));
  }

  @Test
  void halfALineIsReadWhenItIsWhole() throws IOException {
    ControlLog log = new ControlLog(file());
    says(SERVED, "1000");
    Files.writeString(file(), "NEW CLIENT 8 from user 20", StandardOpenOption.APPEND);
    assertThat(log.queue()).isEmpty();

    says("00: Server is not ready%s", "");

    assertThat(log.queue()).isEqualTo(queue("1000", "2000"));
  }

  @Test
  void whatIsLongIsEmptiedAndReadOn() throws IOException {
    ControlLog log = new ControlLog(file());
    says(SERVED, "1000");
    assertThat(log.queue()).isEmpty();
    says("%s", Strings.repeat("x", 1 << 20));

    assertThat(log.queue()).isEmpty();

    assertThat(file()).isEmptyFile();
    says(QUEUED, "2000");
    assertThat(log.queue()).isEqualTo(queue("1000", "2000"));
  }

  @Test
  void theNextServerKnowsNobodyWhoWaited() throws IOException {
    ControlLog log = new ControlLog(file());
    says(SERVED, "1000");
    says(QUEUED, "2000");
    assertThat(log.queue()).isPresent();

    log.begin();
    says(SERVED, "3000");

    assertThat(log.queue()).isEmpty();
    says(QUEUED, "1000");
    assertThat(log.queue()).isEqualTo(queue("3000", "1000"));
  }
}
