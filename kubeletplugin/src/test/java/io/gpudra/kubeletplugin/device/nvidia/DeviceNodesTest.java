package io.gpudra.kubeletplugin.device.nvidia;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.google.common.collect.ImmutableList;
import io.gpudra.kubeletplugin.cdi.ContainerEdits.DeviceNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

class DeviceNodesTest {

  private static final String BUS_ID = "0000:65:00.0";

  /** Nodes of every machine stand for those of a GPU. */
  private static final DeviceNode ZERO = new DeviceNode("/dev/nvidia0", 1, 5, 0666);

  private static final DeviceNode CAPABILITY =
      new DeviceNode("/dev/nvidia-caps/nvidia-cap84", 236, 84, 0444);

  @TempDir Path root = Path.of("");

  private Path dev = Path.of("");

  @BeforeEach
  void addNodes() throws IOException {
    dev = Files.createDirectories(root.resolve("dev/dri")).resolveSibling("");
    link("nvidia0", "zero");
  }

  private void link(String name, String like) throws IOException {
    Files.createSymbolicLink(dev.resolve(name), Path.of("/dev", like));
  }

  private DeviceNodes nodes() {
    return new DeviceNodes(
        dev,
        root.resolve("proc"),
        new UnifiedMemory(
            () -> {
              throw new IllegalStateException();
            },
            dev),
        new CharLinks(dev, root),
        new PciTree(root.resolve("sys")));
  }

  private void addGraphics(String busId, String... names) throws IOException {
    for (String name : names) {
      Files.createDirectories(root.resolve("sys/bus/pci/devices").resolve(busId + "/drm/" + name));
    }
  }

  @Test
  void aGpuHasItsOwnNodesForGraphics() throws IOException {
    assertThat(nodes().graphics(BUS_ID)).as("without a kernel module for them").isEmpty();

    addGraphics(BUS_ID, "card1", "renderD128", "controlD64", "card2");
    addGraphics("0000:ca:00.0", "renderD129");
    link("dri/card1", "null");
    link("dri/renderD128", "full");
    link("dri/renderD129", "random");
    link("dri/controlD64", "urandom");

    assertThat(nodes().graphics(BUS_ID))
        .containsExactly(
            new DeviceNode("/dev/dri/card1", 1, 3, 0660),
            new DeviceNode("/dev/dri/renderD128", 1, 7, 0666));
  }

  @Test
  void systemdKnowsEachNodeThatAContainerGets() throws IOException {
    assertThat(nodes().gpu(0)).isEqualTo(ZERO);

    Path link = dev.resolve("char/1:5");
    assertThat(Files.readSymbolicLink(link)).isEqualTo(Path.of("../nvidia0"));
    assertThat(link).exists();
  }

  @Test
  void aLinkThatLeadsNowhereIsReplacedAndNoOther() throws IOException {
    Path link = Files.createDirectories(dev.resolve("char")).resolve("1:5");
    Files.createSymbolicLink(link, Path.of("/run/nvidia/driver/dev/nvidia0"));
    new CharLinks(dev, root).require(ZERO);
    assertThat(Files.readSymbolicLink(link)).isEqualTo(Path.of("../nvidia0"));

    Files.delete(link);
    Files.createSymbolicLink(link, Path.of("/dev/zero"));
    new CharLinks(dev, root).require(ZERO);
    assertThat(Files.readSymbolicLink(link)).isEqualTo(Path.of("/dev/zero"));
  }

  /** Those of MIG devices need not be on the node, and a driver container has its own. */
  @Test
  void whereTheNodeHasNoneOfThatNumberItIsMade() throws IOException {
    assumeNodesCanBeMade(root);
    DeviceNode ofContainer = new DeviceNode("/dev/nvidia0", 195, 0, 0666);

    CharLinks links = new CharLinks(dev, root);
    DeviceNode large = new DeviceNode("/dev/large", 511, 1 << 18 | 3, 0666);
    for (DeviceNode node : ImmutableList.of(CAPABILITY, ofContainer, large)) {
      links.require(node);
      Path made = dev.resolve("char/%d:%d".formatted(node.major(), node.minor()));
      assertThat(Files.isSymbolicLink(made)).isFalse();
      assertThat(DeviceNumber.of(made)).isEqualTo(new DeviceNumber(node.major(), node.minor()));
    }
  }

  static void assumeNodesCanBeMade(Path root) {
    CharLinks links = new CharLinks(root.resolve("tried"), root);
    links.require(CAPABILITY);
    Assumptions.assumeTrue(
        Files.exists(root.resolve("tried/char/236:84")), "device nodes cannot be made here");
  }

  /** As in a plugin that is not privileged: those of the node may be there. */
  @Test
  void noneIsMadeInAContainerAndOnceItIsSaidThatNoneIsSeen() {
    CharLinks links = new CharLinks(dev, root.resolve("node"));
    List<Level> told =
        told(
            () -> {
              links.require(ZERO);
              links.require(CAPABILITY);
            });

    assertThat(Files.exists(dev.resolve("char"))).isFalse();
    assertThat(told).containsExactly(Level.INFO);
  }

  private static List<Level> told(Runnable action) {
    Logger log = (Logger) LoggerFactory.getLogger(CharLinks.class);
    ListAppender<ILoggingEvent> told = new ListAppender<>();
    told.start();
    log.addAppender(told);
    action.run();
    log.detachAppender(told);
    return told.list.stream().map(ILoggingEvent::getLevel).toList();
  }

  @Test
  void whereOneIsMissingAndCannotBeMadeItIsAWarning() throws IOException {
    Files.createFile(dev.resolve("char"));
    CharLinks links = new CharLinks(dev, root);

    assertThat(told(() -> links.require(ZERO))).containsExactly(Level.WARN);
  }

  @Test
  void whereNoneCanBeMadeContainersGetTheirGpusAllTheSame() throws IOException {
    Path inTheWay = Files.createFile(dev.resolve("char"));
    DeviceNodes nodes = nodes();
    assertThat(nodes.gpu(0)).isEqualTo(ZERO);

    Files.delete(inTheWay);
    assertThat(nodes.gpu(0)).isEqualTo(ZERO);
    assertThat(Files.exists(dev.resolve("char"), LinkOption.NOFOLLOW_LINKS))
        .as("told once, and not tried again")
        .isFalse();
  }
}
