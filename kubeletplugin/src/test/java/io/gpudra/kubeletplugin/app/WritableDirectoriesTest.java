package io.gpudra.kubeletplugin.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.kubeletplugin.device.os.MountTable;
import io.gpudra.kubeletplugin.prepare.ClaimPreparer;
import io.gpudra.kubeletplugin.prepare.call.PrepareCall;
import io.gpudra.kubeletplugin.prepare.call.PrepareOutcome.Ready;
import io.gpudra.kubeletplugin.testing.FakeNode;
import io.gpudra.kubeletplugin.testing.Parts;
import io.gpudra.kubeletplugin.testing.Stubs;
import io.gpudra.stubdriver.StubDriver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the plugin writes to breaks under it, and is mended. */
@SuppressWarnings("NullAway.Init") // set before each test
class WritableDirectoriesTest {

  private static final String FILE = "k8s.gpu.resource.example.com-claim_u1.json";

  @TempDir Path root = Path.of("");
  private FakeNode node;
  private ClaimPreparer preparer;
  private StateDirectory state;
  private Path mountInfo;
  private WritableDirectories directories;
  private Optional<String> stateProblem = Optional.of("not looked");
  private Optional<String> cdiProblem = Optional.of("not looked");

  @BeforeEach
  void start() throws IOException {
    node = new FakeNode(root);
    preparer = node.start();
    assertThat(preparer.prepare(node.request("u1", 0), PrepareCall.withoutDeadline()))
        .isInstanceOf(Ready.class);
    state = StateDirectory.open(root.resolve("state"));
    mountInfo = root.resolve("mountinfo");
    mounted("/run/cdi");
    directories = directories(CdiMount.at(new MountTable(mountInfo), node.cdi), preparer);
    look();
    assertSound();
  }

  private WritableDirectories directories(CdiMount mount, ClaimPreparer preparer) {
    return new WritableDirectories(
        state,
        mount,
        FakeNode.DRIVER,
        preparer,
        (stateNow, cdiNow) -> {
          stateProblem = stateNow;
          cdiProblem = cdiNow;
        });
  }

  @AfterEach
  void stop() throws IOException {
    state.close();
  }

  private void mounted(String cdiRoot) throws IOException {
    Files.writeString(
        mountInfo,
        """
        21 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw
        30 21 0:25 %s %s rw,nosuid - tmpfs tmpfs rw
        31 21 0:26 /elsewhere %s-of-others rw,nosuid - tmpfs tmpfs rw
        """
            .formatted(cdiRoot, node.cdi, node.cdi));
  }

  private void look() {
    directories.probe();
  }

  private void assertSound() {
    assertThat(stateProblem).isEmpty();
    assertThat(cdiProblem).isEmpty();
  }

  @Test
  void leavesNothingBehindInEitherDirectory() {
    assertThat(node.cdi.toFile().list()).containsExactly(FILE);
    assertThat(root.resolve("state").toFile().list()).containsExactly("lock");
  }

  @Test
  void aFullDiskUnderTheStateIsAProblemUntilThereIsRoom() throws IOException {
    Path probe = root.resolve("state/.probe");
    Files.createSymbolicLink(probe, Path.of("/dev/full"));
    look();
    assertThat(stateProblem.orElse("")).contains("state", "No space left");
    assertThat(cdiProblem).isEmpty();

    Files.delete(probe);
    look();
    assertSound();
  }

  @Test
  void aStateDirectoryThatIsNotTheLockedOneIsAProblemUntilItIsBack() throws IOException {
    Path away = root.resolve("away");
    Files.move(root.resolve("state"), away);
    look();
    assertThat(stateProblem.orElse("")).contains("removed or replaced");

    Files.createDirectory(root.resolve("state"));
    Files.createFile(root.resolve("state/lock"));
    look();
    assertThat(stateProblem.orElse("")).contains("removed or replaced");

    Files.delete(root.resolve("state/lock"));
    Files.delete(root.resolve("state"));
    Files.move(away, root.resolve("state"));
    look();
    assertSound();
  }

  @Test
  void aRemovedCheckpointIsPutBack() throws IOException {
    String content = Files.readString(node.checkpoint);
    Files.delete(node.checkpoint);
    look();
    assertSound();
    assertThat(node.checkpoint).hasContent(content);
  }

  @Test
  void aRemovedCheckpointThatCannotBePutBackIsAProblem() throws IOException {
    Files.delete(node.checkpoint);
    Files.createDirectory(root.resolve("checkpoint.json.tmp"));
    look();
    assertThat(stateProblem.orElse("")).contains("checkpoint", "cannot be written");
    assertThat(cdiProblem).isEmpty();
  }

  @Test
  void aCdiDirectoryThatCannotBeWrittenIsAProblemUntilItCan() throws IOException {
    Files.delete(node.cdi.resolve(FILE));
    Files.delete(node.cdi);
    Files.writeString(node.cdi, "a file where a directory belongs");
    look();
    assertThat(cdiProblem.orElse("")).contains(node.cdi.toString());
    assertThat(stateProblem).isEmpty();

    Files.delete(node.cdi);
    look();
    assertSound();
    assertThat(node.specs()).containsExactly(new ClaimUid("u1"));
  }

  @Test
  void aFullDiskUnderTheCdiFilesIsAProblem() throws IOException {
    Files.createSymbolicLink(
        node.cdi.resolve("." + FakeNode.DRIVER + ".probe"), Path.of("/dev/full"));
    look();
    assertThat(cdiProblem.orElse("")).contains("No space left");
  }

  @Test
  void aMountThatTheHostMovedOrRemovedIsAProblemUntilItIsBack() throws IOException {
    mounted("/run/cdi.old");
    look();
    assertThat(cdiProblem.orElse("")).contains("removed or replaced", "/run/cdi.old");

    mounted("/run/cdi");
    look();
    assertSound();
  }

  @Test
  void aRemovedOrForgedCdiFileOfAPreparedClaimIsPutBack() throws IOException {
    String content = Files.readString(node.cdi.resolve(FILE));
    Files.delete(node.cdi.resolve(FILE));
    look();
    assertThat(node.cdi.resolve(FILE)).hasContent(content);

    Files.writeString(node.cdi.resolve(FILE), "{}");
    look();
    assertThat(node.cdi.resolve(FILE)).hasContent(content);
  }

  @Test
  void aCdiFileThatCannotBePutBackIsAProblem() throws IOException {
    Files.delete(node.cdi.resolve(FILE));
    Files.createDirectory(node.cdi.resolve(FILE));
    look();
    assertThat(cdiProblem.orElse("")).contains(FILE);
  }

  @Test
  void theFileOfAnUnpreparedClaimStaysAway() throws IOException {
    preparer.unprepare(new ClaimUid("u1"), FakeNode.ref("u1"), PrepareCall.withoutDeadline());
    look();
    assertThat(node.specs()).isEmpty();
    assertSound();
  }

  @Test
  void aGpuThatIsLostIsNoProblemOfADirectory() throws IOException {
    StubDriver driver =
        Stubs.driver(
            root.resolve("driver"), StubDriver.NEWEST, Parts.hoppers(2), ImmutableList.of());
    FakeNode cut = new FakeNode(root.resolve("cut"), driver);
    Files.createDirectories(cut.cdi);
    ClaimPreparer preparer = cut.start();
    assertThat(
            preparer.prepare(
                cut.request("u2", Parts.mig(0, "1g.5gb", 3)), PrepareCall.withoutDeadline()))
        .isInstanceOf(Ready.class);
    driver.set("GPU-0", "lost", 1);

    directories(CdiMount.at(new MountTable(mountInfo), cut.cdi), preparer).probe();
    assertSound();
    directories(CdiMount.at(new MountTable(mountInfo), cut.cdi), cut.start()).probe();
    assertSound();
  }
}
