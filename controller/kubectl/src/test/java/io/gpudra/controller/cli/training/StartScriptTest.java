package io.gpudra.controller.cli.training;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What stands before the jar of {@code kubectl gpudra}, with Javas that are scripts. */
class StartScriptTest {
  private static final Path SCRIPT = Path.of("src/main/plugin/kubectl-gpudra.sh");
  private static final List<String> TOOLS =
      List.of(
          "sed",
          "readlink",
          "stat",
          "cksum",
          "mkdir",
          "mkfifo",
          "rm",
          "find",
          "nice",
          "mv",
          "wc",
          "sync");
  private static final String MAKES = "-XX:ArchiveClassesAtExit=";
  private static final String USES = "-XX:SharedArchiveFile=";

  private static final Duration LIMIT = Duration.ofSeconds(60);

  private record Said(int code, String out, String err) {}

  private static final Said ANSWER = new Said(0, "answer\n", "");

  @TempDir private Path place = Path.of("");
  private Path tools = Path.of("");
  private Path cache = Path.of("");
  private Path file = Path.of("");

  /** A search path with all that the script runs, and without any Java. */
  @BeforeEach
  void prepare() throws IOException {
    tools = Files.createDirectory(place.resolve("tools"));
    for (String tool : TOOLS) {
      Path wrapper = tools.resolve(tool);
      Files.writeString(wrapper, "#!/bin/sh\nPATH=/usr/bin:/bin exec %s \"$@\"\n".formatted(tool));
      Files.setPosixFilePermissions(wrapper, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
    cache = place.resolve("cache");
    file = Files.copy(SCRIPT, place.resolve("kubectl gpudra"));
  }

  /** What makes an archive outlives the command. */
  @AfterEach
  void awaitTheEnd() {
    await()
        .atMost(LIMIT)
        .until(
            () ->
                ProcessHandle.allProcesses()
                    .noneMatch(
                        process ->
                            process.info().commandLine().orElse("").contains(place.toString())));
  }

  @Test
  void withoutJavaOneLineSaysSo() throws Exception {
    assertThat(run(Optional.empty()))
        .isEqualTo(
            new Said(
                1,
                "",
                "kubectl gpudra needs Java 17 or newer and found none: set JAVA_HOME, or change"
                    + " the PATH\n"));
  }

  @Test
  void withOldOnesOneLineNamesThem() throws Exception {
    FakeJava eleven = FakeJava.of(place.resolve("eleven"), "11.0.2");
    FakeJava eight = FakeJava.taciturn(place.resolve("eight"), "1.8.0_392");
    Path found = Files.createSymbolicLink(tools.resolve("java"), eight.program());

    assertThat(run(Optional.of(eleven)))
        .isEqualTo(
            new Said(
                1,
                "",
                ("kubectl gpudra needs Java 17 or newer and found %s of version 11.0.2 and %s of"
                        + " version 1.8.0_392: set JAVA_HOME, or change the PATH\n")
                    .formatted(eleven.program(), found)));
  }

  @Test
  void aNewOneOnThePathDoesForAnOldOneOfTheEnvironment() throws Exception {
    FakeJava old = FakeJava.of(place.resolve("old"), "11.0.2");
    FakeJava newer = FakeJava.taciturn(place.resolve("newer"), "25");
    Files.createSymbolicLink(tools.resolve("java"), newer.program());

    assertThat(run(Optional.of(old))).isEqualTo(ANSWER);
    assertThat(newer.calls("-jar " + file + " nodes -o json")).isEqualTo(1);
  }

  @Test
  void theFirstRunLeavesAnArchiveThatTheSecondUses() throws Exception {
    FakeJava java = FakeJava.of(place.resolve("java"), "17.0.1");

    assertThat(run(Optional.of(java))).isEqualTo(ANSWER);
    Path archive = archive();
    assertThat(run(Optional.of(java))).isEqualTo(ANSWER);

    assertThat(java.calls("-Xshare:auto " + USES + archive + " -jar " + file + " nodes -o json"))
        .isEqualTo(1);
    assertThat(java.calls(MAKES)).isEqualTo(1);
  }

  @Test
  void theArchiveIsMadeWithoutTheUsersClusters() throws Exception {
    FakeJava java = FakeJava.of(place.resolve("java"), "17.0.1");

    run(Optional.of(java));
    String archive = archive().toString();
    String making = archive.substring(0, archive.lastIndexOf('-')) + ".making";

    assertThat(Files.readAllLines(java.calls()))
        .filteredOn(call -> call.contains(MAKES))
        .singleElement()
        .asString()
        .startsWith(making + "/kubeconfig ")
        .endsWith(TrainingRun.class.getName() + " " + making);
  }

  @ParameterizedTest
  @CsvSource({"convert, -Xmx176m", "migrate, -Xmx176m", "nodes, -Xms400m"})
  void aCommandGetsTheMemoryThatItNeeds(String command, String flag) throws Exception {
    FakeJava java = FakeJava.of(place.resolve("java"), "17.0.1");

    assertThat(said(start(Optional.of(java), command))).isEqualTo(ANSWER);

    assertThat(Files.readAllLines(java.calls()))
        .filteredOn(call -> call.endsWith("-jar " + file + " " + command))
        .singleElement()
        .asString()
        .contains(flag);
  }

  @Test
  void anotherJarNeedsAnotherArchive() throws Exception {
    FakeJava java = FakeJava.of(place.resolve("java"), "17.0.1");
    run(Optional.of(java));
    Path first = archive();

    Files.setLastModifiedTime(file, FileTime.from(Instant.EPOCH));
    assertThat(run(Optional.of(java))).isEqualTo(ANSWER);

    await().atMost(LIMIT).until(() -> java.calls(MAKES) == 2 && left().size() == 2);
    assertThat(java.calls(USES + first + " ")).isZero();
  }

  @Test
  void aShortArchiveIsNotUsedAndMadeAgain() throws Exception {
    FakeJava java = FakeJava.of(place.resolve("java"), "17.0.1");
    run(Optional.of(java));
    Path archive = archive();
    Files.writeString(archive, "class");

    assertThat(run(Optional.of(java))).isEqualTo(ANSWER);
    await()
        .atMost(LIMIT)
        .until(() -> Files.exists(archive) && Files.size(archive) == FakeJava.ARCHIVE.length());

    assertThat(java.calls(USES + archive)).isZero();
  }

  @Test
  void anArchiveOfSomebodyElseIsNotUsed() throws Exception {
    assumeThat(System.getProperty("user.name")).isEqualTo("root");
    FakeJava java = FakeJava.of(place.resolve("java"), "17.0.1");
    run(Optional.of(java));
    Path archive = archive();
    UserPrincipalLookupService users = place.getFileSystem().getUserPrincipalLookupService();
    Files.setOwner(archive, users.lookupPrincipalByName("nobody"));

    assertThat(run(Optional.of(java))).isEqualTo(ANSWER);
    await().atMost(LIMIT).until(() -> java.calls(MAKES) == 2);

    assertThat(java.calls(USES + archive)).isZero();
  }

  @Test
  void anArchiveThatCannotBeMadeLeavesNothing() throws Exception {
    FakeJava java = FakeJava.failing(place.resolve("java"));

    assertThat(run(Optional.of(java))).isEqualTo(ANSWER);

    await().atMost(LIMIT).until(() -> java.calls(MAKES) == 1 && left().isEmpty());
  }

  @Test
  void aCacheThatCannotBeWrittenIsNoMatter() throws Exception {
    FakeJava java = FakeJava.of(place.resolve("java"), "17.0.1");
    cache = Files.createFile(place.resolve("file"));

    assertThat(run(Optional.of(java))).isEqualTo(ANSWER);
    assertThat(java.calls(MAKES)).isZero();
  }

  @Test
  void manyAtOnceLeaveOneArchive() throws Exception {
    FakeJava java = FakeJava.of(place.resolve("java"), "17.0.1");
    List<Process> all = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      all.add(start(Optional.of(java)));
    }
    for (Process process : all) {
      assertThat(said(process)).isEqualTo(ANSWER);
    }

    Path archive = archive();
    awaitTheEnd();
    assertThat(left()).containsExactly(archive);
    assertThat(java.calls(MAKES)).isEqualTo(1);
  }

  private Said run(Optional<FakeJava> java) throws Exception {
    return said(start(java));
  }

  private Process start(Optional<FakeJava> java) throws IOException {
    return start(java, "nodes", "-o", "json");
  }

  private Process start(Optional<FakeJava> java, String... words) throws IOException {
    ProcessBuilder builder = new ProcessBuilder("/bin/sh", file.toString());
    builder.command().addAll(List.of(words));
    Map<String, String> environment = builder.environment();
    environment.clear();
    environment.put("PATH", tools.toString());
    environment.put("XDG_CACHE_HOME", cache.toString());
    java.ifPresent(its -> environment.put("JAVA_HOME", its.home().toString()));
    return builder.start();
  }

  private static Said said(Process process) throws Exception {
    String out = new String(process.getInputStream().readAllBytes(), UTF_8);
    String err = new String(process.getErrorStream().readAllBytes(), UTF_8);
    return new Said(process.waitFor(), out, err);
  }

  /** The only thing that is left of the first run, once it is there. */
  private Path archive() {
    return await()
        .atMost(LIMIT)
        .until(this::left, left -> left.size() == 1 && left.get(0).toString().endsWith(".jsa"))
        .get(0);
  }

  private List<Path> left() throws IOException {
    if (!Files.exists(cache)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(cache.resolve("gpudra"))) {
      return files.toList();
    }
  }
}
