package io.gpudra.kubeletplugin.device.mps;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedMap;
import io.gpudra.kubeletplugin.testing.Faults;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** With real processes. */
class MpsProcessesTest {

  static final MpsServer SERVER =
      new MpsServer("gpu-0", ImmutableSortedMap.of("GPU-0", 1L << 30), OptionalInt.of(50));

  @TempDir Path directory = Path.of("");

  MpsProcesses servers(MpsControl control, Duration patience) {
    return new MpsProcesses(directory.resolve("mps"), control, patience);
  }

  private MpsProcesses servers(ImmutableList<String> program, Duration patience) {
    return servers(new FakeMpsControl(program), patience);
  }

  /** Each test has one kind of server. */
  MpsControl control() {
    return new FakeMpsControl();
  }

  MpsProcesses servers() {
    return servers(control(), Duration.ofSeconds(60));
  }

  @AfterEach
  void endAll() throws IOException {
    servers().stopAll();
    new ProcessTree(directory.resolve("mps/gpu-0")).all().forEach(ProcessHandle::destroyForcibly);
  }

  /** The only one that there is of it. */
  ProcessHandle process() {
    ImmutableList<ProcessHandle> all = new ProcessTree(directory.resolve("mps/gpu-0")).all();
    assertThat(all).hasSize(1);
    return all.get(0);
  }

  private void says(String line) throws IOException {
    Files.writeString(
        directory.resolve("mps/gpu-0/control.log"),
        line + "\n",
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
  }

  @Test
  void usersWhoWaitAreToldOnceAndForAsLongAsTheyWait() throws IOException {
    MpsProcesses servers = servers();
    servers.start(SERVER);
    Logger log = (Logger) LoggerFactory.getLogger(MpsProcesses.class);
    ListAppender<ILoggingEvent> told = new ListAppender<>();
    told.start();
    log.addAppender(told);

    says("Starting new server 9 for user 1000");
    says("NEW CLIENT 8 from user 2000: Server is not ready");
    servers.revive();
    servers.revive();

    assertThat(servers.queue("gpu-0").orElseThrow()).contains("processes of user 2000 wait");
    assertThat(told.list).extracting(ILoggingEvent::getLevel).containsExactly(Level.WARN);

    says("Starting new server 10 for user 2000");
    servers.revive();
    assertThat(servers.queue("gpu-0")).isEmpty();
    log.detachAppender(told);
  }

  /** Each client adds to it, and may come again and again. */
  @Test
  void clientsFillNoDiskWithWhatTheirServerSays() throws IOException {
    MpsProcesses servers = servers();
    servers.start(SERVER);
    Path log = directory.resolve("mps/gpu-0/server.log");
    Files.write(log, new byte[1 << 20]);
    servers.revive();
    assertThat(log).hasSize(1 << 20);

    Files.write(log, new byte[1], StandardOpenOption.APPEND);
    servers.revive();

    assertThat(log).isEmptyFile();
  }

  static void assertEnded(ProcessHandle process) {
    assertThat(process.onExit()).succeedsWithin(Duration.ofSeconds(10));
  }

  static void kill(ProcessHandle process) {
    process.destroyForcibly();
    process.onExit().join();
  }

  @Test
  void runsOneUntilItIsStopped() throws IOException {
    MpsProcesses servers = servers();
    servers.start(SERVER);
    ProcessHandle process = process();
    assertThat(process.isAlive()).isTrue();
    assertThat(servers.paths("gpu-0").pipes()).isNotEmptyDirectory();

    servers.start(SERVER);
    assertThat(process()).as("it runs already").isEqualTo(process);

    servers.stop("gpu-0");
    servers.stop("gpu-0");
    assertEnded(process);
    assertThat(directory.resolve("mps/gpu-0")).doesNotExist();
  }

  @Test
  void theNextProcessFindsItAndCanEndIt() throws IOException {
    servers().start(SERVER);
    ProcessHandle process = process();

    MpsProcesses next = servers();
    next.start(SERVER);
    assertThat(process()).isEqualTo(process);
    next.stopAll();

    assertEnded(process);
  }

  @Test
  void oneThatDiesIsStartedAgainAndOneThatIsStoppedIsNot() throws IOException {
    MpsProcesses servers = servers();
    servers.start(SERVER);
    ProcessHandle first = process();
    kill(first);

    servers.revive();

    ProcessHandle second = process();
    assertThat(second.isAlive()).isTrue();
    servers.stop("gpu-0");
    servers.revive();
    assertThat(directory.resolve("mps/gpu-0")).doesNotExist();
  }

  @Test
  void otherSettingsNeedAnotherServer() throws IOException {
    MpsProcesses servers = servers();
    servers.start(SERVER);
    ProcessHandle first = process();

    servers.start(new MpsServer("gpu-0", SERVER.pinnedMemory(), OptionalInt.of(25)));

    assertEnded(first);
    assertThat(process().isAlive()).isTrue();
  }

  @Test
  void oneThatNeverAnswersFailsInTimeAndIsEnded() {
    MpsProcesses servers = servers(ImmutableList.of("sleep", "600"), Duration.ofMillis(200));

    assertThatThrownBy(() -> servers.start(SERVER))
        .isInstanceOf(IOException.class)
        .hasMessage("MPS server of gpu-0 does not answer after 200 ms");
    assertThat(directory.resolve("mps/gpu-0")).doesNotExist();
    assertThat(ProcessHandle.current().children()).noneMatch(ProcessHandle::isAlive);
  }

  /** They have them mounted. */
  @Test
  void containersReachTheNextWhereTheyReachedTheOneThatDied() throws IOException {
    MpsProcesses servers = servers();
    servers.start(SERVER);
    Object pipes = inode(servers.paths("gpu-0").pipes());
    Object memory = inode(servers.paths("gpu-0").memory());
    Path theirs = Files.createFile(servers.paths("gpu-0").memory().resolve("theirs"));

    kill(process());
    servers.revive();
    kill(process());
    servers().start(SERVER);

    assertThat(inode(servers.paths("gpu-0").pipes())).isEqualTo(pipes);
    assertThat(inode(servers.paths("gpu-0").memory())).isEqualTo(memory);
    assertThat(theirs).exists();
    assertThat(servers.paths("gpu-0").pipes().resolve(MpsControl.PIPE)).exists();
  }

  private static Object inode(Path file) throws IOException {
    return Files.getAttribute(file, "unix:dev") + " " + Files.getAttribute(file, "unix:ino");
  }

  @Test
  void containersKeepTheirDirectoriesWhenTheNextDoesNotStart() throws IOException {
    servers().start(SERVER);
    kill(process());
    MpsProcesses failing = servers(ImmutableList.of("false"), Duration.ofSeconds(60));

    assertThatThrownBy(() -> failing.start(SERVER)).hasMessageContaining("ended with status 1");

    assertThat(failing.paths("gpu-0").pipes()).exists();
  }

  @Test
  void oneThatNobodyNotedIsEnded() throws IOException {
    servers().start(SERVER);
    ProcessHandle lost = process();
    Files.delete(directory.resolve("mps/gpu-0/process"));

    servers().start(SERVER);

    assertEnded(lost);
    assertThat(process().isAlive()).isTrue();
  }

  /** It may run on for a while. */
  @Test
  void oneThatWasAskedToQuitDoesNotCountAsOneThatRuns() throws IOException {
    servers().start(SERVER);
    Faults faults = new Faults();
    faults.dieAt(0);
    MpsProcesses dying = servers(new FaultyMps.Control(control(), faults), Duration.ofSeconds(60));

    assertThatThrownBy(() -> dying.stop("gpu-0")).isInstanceOf(Faults.Death.class);

    assertThat(directory.resolve("mps/gpu-0")).exists();
    assertThat(directory.resolve("mps/gpu-0/settings")).doesNotExist();
  }

  @Test
  void aNoteThatWasNotWrittenWholeIsNone() throws IOException {
    servers().start(SERVER);
    ProcessHandle lost = process();
    Files.writeString(directory.resolve("mps/gpu-0/process"), "");

    servers().start(SERVER);

    assertEnded(lost);
    assertThat(process().isAlive()).isTrue();
  }

  @Test
  void aDirectoryWithoutAnythingInItIsUsedAndRemoved() throws IOException {
    Files.createDirectories(directory.resolve("mps/gpu-0"));
    servers().stop("gpu-0");
    assertThat(directory.resolve("mps/gpu-0")).doesNotExist();

    Files.createDirectories(directory.resolve("mps/gpu-0"));
    servers().start(SERVER);
    assertThat(process().isAlive()).isTrue();
  }

  /** Numbers of processes are used again. */
  @Test
  void aProcessOfAnothersWithItsNumberIsLeftAlone() throws IOException {
    servers().start(SERVER);
    kill(process());
    long own = ProcessHandle.current().pid();
    Files.writeString(directory.resolve("mps/gpu-0/process"), String.valueOf(own));

    servers().start(SERVER);

    assertThat(process().pid()).isNotEqualTo(own);
    assertThat(ProcessHandle.current().isAlive()).isTrue();
  }

  @Test
  void oneThatEndsAtOnceSaysSo() {
    assertThatThrownBy(
            () -> servers(ImmutableList.of("false"), Duration.ofSeconds(60)).start(SERVER))
        .hasMessageContaining("ended with status 1");
  }
}
