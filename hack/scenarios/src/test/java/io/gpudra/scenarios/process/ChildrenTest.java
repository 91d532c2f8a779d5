package io.gpudra.scenarios.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class ChildrenTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final Path logs;

  ChildrenTest(@TempDir Path logs) {
    this.logs = logs;
  }

  @Test
  void aChildThatDiesIsNamedWithItsExitCodeAndTheLast50Lines() throws IOException {
    try (Children children = new Children(logs)) {
      children.start("counter", List.of("sh", "-c", "seq 1 60; exit 3"));
      await().atMost(LIMIT).until(() -> children.fault().isPresent());
      assertThat(children.fault().orElseThrow())
          .startsWith("counter died with exit code 3")
          .contains("\n11\n")
          .endsWith("\n60")
          .doesNotContain("\n10\n");
    }
  }

  @Test
  void aChildThatLivesIsNoFaultAndDoesNotOutliveItsParentsInterest() throws IOException {
    Path pid = logs.resolve("pid");
    try (Children children = new Children(logs)) {
      children.start("sleeper", List.of("sh", "-c", "echo $$ > " + pid + "; exec sleep 600"));
      await().atMost(LIMIT).until(() -> Files.exists(pid) && Files.size(pid) > 1);
      assertThat(children.fault()).isEmpty();
    }
    long id = Long.parseLong(Files.readString(pid).strip());
    assertThat(ProcessHandle.of(id).filter(ProcessHandle::isAlive)).isEmpty();
  }

  @Test
  void aChildThatWasAskedToStopIsNoFault() throws IOException {
    Children children = new Children(logs);
    children.start("sleeper", List.of("sleep", "600"));
    children.close();
    assertThat(children.fault()).isEmpty();
  }

  @Test
  void aKilledChildIsAFault() throws IOException {
    try (Children children = new Children(logs)) {
      children.start("victim", List.of("sleep", "600")).kill();
      await().atMost(LIMIT).until(() -> children.fault().isPresent());
      assertThat(children.fault().orElseThrow()).startsWith("victim died with exit code 137");
    }
  }

  @Test
  void aChildStartedAgainGoesOnInTheLogOfTheOneItReplaces() throws IOException {
    Pattern life = Pattern.compile("life (\\d)");
    try (Children children = new Children(logs)) {
      Child first = children.start("cat", List.of("sh", "-c", "echo life 1; exec sleep 600"));
      await().atMost(LIMIT).until(() -> first.said(life).equals(Optional.of("1")));
      Child second = children.start("cat", List.of("sh", "-c", "echo life 2; exec sleep 600"));
      assertThat(first.exitCode()).contains(137);
      await().atMost(LIMIT).until(() -> second.said(life).equals(Optional.of("2")));
      assertThat(second.log()).content().startsWith("life 1");
      assertThat(second.exitCode()).isEmpty();
    }
  }

  @Test
  void aFrozenChildDoesNothingUntilItIsThawed() throws Exception {
    Path go = logs.resolve("go");
    try (Children children = new Children(logs)) {
      Child child =
          children.start(
              "waiter", List.of("sh", "-c", "until [ -e " + go + " ]; do sleep 0.01; done"));
      child.freeze();
      await().atMost(LIMIT).until(() -> stateOf(child).equals("T"));
      Files.createFile(go);
      assertThat(child.exitCode()).isEmpty();
      child.thaw();
      await().atMost(LIMIT).until(() -> child.exitCode().isPresent());
    }
  }

  private static String stateOf(Child child) throws IOException {
    return Files.readString(Path.of("/proc/" + child.pid() + "/stat")).split(" ", -1)[2];
  }

  @Test
  void whatWasAddedIsClosedOnceAndLastFirst() {
    StringBuilder closed = new StringBuilder();
    AtExit atExit = AtExit.create();
    AutoCloseable first = atExit.add(() -> closed.append("first"));
    AutoCloseable second = atExit.add(() -> closed.append("second,"));
    assertThat(first).isNotSameAs(second);
    atExit.close();
    atExit.close();
    assertThat(closed).hasToString("second,first");
  }

  @Test
  void whatIsAddedOrStartedTooLateDoesNotStay() throws IOException {
    StringBuilder closed = new StringBuilder();
    AtExit atExit = AtExit.create();
    Children children = atExit.add(new Children(logs));
    atExit.close();
    assertThatThrownBy(() -> atExit.add(() -> closed.append("late")))
        .isInstanceOf(IllegalStateException.class);
    assertThat(closed).hasToString("late");
    assertThatThrownBy(() -> children.start("late", List.of("sleep", "600")))
        .isInstanceOf(IOException.class);
  }

  @Test
  void aTemporaryDirectoryIsShortAndGoesWithEverythingInIt() throws IOException {
    TemporaryDirectory directory = TemporaryDirectory.create();
    Files.createDirectories(directory.path().resolve("a/b"));
    Files.writeString(directory.path().resolve("a/b/c"), "x");
    assertThat(directory.path().toString()).hasSizeLessThan(60);
    directory.close();
    assertThat(directory.path()).doesNotExist();
  }
}
