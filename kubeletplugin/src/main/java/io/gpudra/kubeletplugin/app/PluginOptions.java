package io.gpudra.kubeletplugin.app;

import io.gpudra.kubeletplugin.device.FakeNodeProfiles;
import io.gpudra.kubeletplugin.device.nvidia.EvictionTrigger;
import io.gpudra.kubeletplugin.pods.NodePods;
import io.gpudra.kubeletplugin.pods.PodCgroups;
import io.gpudra.process.PortOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The command line; each option has an environment variable as fallback. */
final class PluginOptions {

  @Option(
      names = "--node-name",
      required = true,
      defaultValue = "${env:NODE_NAME}",
      description = "Name of the node object (NODE_NAME).")
  String nodeName = "";

  @Option(
      names = "--driver-name",
      defaultValue = "${env:DRIVER_NAME:-gpu.resource.example.com}",
      description = "Name of the driver, at most 26 characters (DRIVER_NAME): ${DEFAULT-VALUE}")
  String driverName = "";

  @Option(
      names = "--kubelet-dir",
      defaultValue = "${env:KUBELET_DIR:-/var/lib/kubelet}",
      description = "Root directory of the kubelet (KUBELET_DIR): ${DEFAULT-VALUE}")
  Path kubeletDir = Path.of("");

  @Option(
      names = "--cdi-root",
      defaultValue = "${env:CDI_ROOT:-/var/run/cdi}",
      description = "Where the container runtime reads CDI files (CDI_ROOT): ${DEFAULT-VALUE}")
  Path cdiRoot = Path.of("");

  @Option(
      names = "--state-dir",
      defaultValue = "${env:STATE_DIR}",
      description =
          "Where the checkpoint is (STATE_DIR); <kubelet-dir>/plugins/<driver-name> when absent.")
  @Nullable Path stateDir;

  /** The driver of the GPUs that are served. */
  enum Kind {
    AUTO,
    NVIDIA,
    FAKE
  }

  @Option(
      names = "--devices",
      defaultValue = "${env:DEVICES:-auto}",
      description =
          "nvidia: the GPUs that NVIDIA's driver knows; fake: those of a profile; auto: those of"
              + " any driver on the node, never fake ones (DEVICES): ${DEFAULT-VALUE}")
  Kind devices = Kind.AUTO;

  @Option(
      names = "--driver-root",
      defaultValue = "${env:DRIVER_ROOT}",
      description =
          "Where NVIDIA's driver is installed on the node (DRIVER_ROOT), such as /run/nvidia/driver;"
              + " looked for where it usually is when absent.")
  @Nullable Path driverRoot;

  @Option(
      names = "--driver-libraries",
      defaultValue = "${env:DRIVER_LIBRARIES}",
      description =
          "Directory of the driver's libraries, as the node calls it or the driver's root"
              + " (DRIVER_LIBRARIES), such as /usr/local/glibc/usr/lib; looked for where it usually"
              + " is when absent.")
  @Nullable Path driverLibraries;

  @Option(
      names = "--node-root",
      defaultValue = "${env:NODE_ROOT:-/}",
      description =
          "Where the node's root directory is, as the plugin sees it (NODE_ROOT): ${DEFAULT-VALUE}")
  Path nodeRoot = Path.of("/");

  @Option(
      names = "--ignore-xids",
      split = ",",
      defaultValue = "${env:IGNORE_XIDS}",
      description =
          "XID errors that say nothing about a GPU, beside those for which NVIDIA's catalogue asks"
              + " for neither a reset nor a boot (IGNORE_XIDS).")
  List<Integer> ignoredXids = List.of();

  @Option(
      names = "--evict-on",
      split = ",",
      defaultValue = "${env:EVICT_ON}",
      description =
          "What of a GPU makes its taint NoExecute, so that pods leave it before the reset or the"
              + " boot that mends it: lost, xid, ecc (EVICT_ON).")
  List<EvictionTrigger> evictOn = List.of();

  @Option(
      names = "--kernel-root",
      hidden = true,
      description = "Where sys, proc and dev are; the node's root when absent.")
  @Nullable Path kernelRoot;

  @Option(
      names = "--profile",
      defaultValue = "${env:PROFILE}",
      converter = ProfilesConverter.class,
      description =
          "GPUs of the fake node, such as latest, a100, h100, t4 or mixed, with a count as in a100:4,"
              + " a file of one's own as in @/etc/gpus.yaml, and exceptions as in latest,worker-1=mixed"
              + " (PROFILE); latest when absent.")
  @Nullable FakeNodeProfiles profiles;

  @Option(
      names = "--kubeconfig",
      defaultValue = "${env:KUBECONFIG}",
      description = "The API server (KUBECONFIG); the pod's service account when absent.")
  @Nullable Path kubeconfig;

  @Option(
      names = "--heartbeat",
      defaultValue = "${env:HEARTBEAT:-60}",
      converter = SecondsConverter.class,
      description =
          "Seconds between signs of life in the NodeInventory, 10 to 3600 (HEARTBEAT): ${DEFAULT-VALUE}")
  Duration heartbeat = Duration.ofSeconds(60);

  @Option(
      names = "--cgroup-root",
      defaultValue = "${env:CGROUP_ROOT}",
      description =
          "Where the node's /sys/fs/cgroup is (CGROUP_ROOT): who uses what a kubelet has lost is"
              + " not known when absent, and so it stays.")
  @Nullable Path cgroupRoot;

  @Option(
      names = "--pod-uid",
      defaultValue = "${env:POD_UID}",
      description = "UID of the plugin's pod (POD_UID), by which its kubelet's cgroups are known.")
  @Nullable String podUid;

  /** The pods of the node, if these options name their place. */
  NodePods pods() {
    return cgroupRoot == null || podUid == null
        ? NodePods.UNKNOWN
        : new PodCgroups(cgroupRoot, podUid);
  }

  @Mixin PortOptions ports = new PortOptions();

  @Option(
      names = "--boot-id-file",
      hidden = true,
      defaultValue = "/proc/sys/kernel/random/boot_id",
      description = "File whose content differs after each boot.")
  Path bootIdFile = Path.of("");

  /** An ID that differs after each boot of the machine. */
  String bootId() throws IOException {
    try {
      String id = Files.readString(bootIdFile).strip();
      if (id.isEmpty()) {
        throw new IOException("it is empty");
      }
      return id;
    } catch (IOException e) {
      throw new IOException(
          "cannot read the boot ID from " + bootIdFile + ": " + e.getMessage(), e);
    }
  }

  Path stateDirOrDefault() {
    return Optional.ofNullable(stateDir)
        .orElseGet(() -> kubeletDir.resolve("plugins").resolve(driverName));
  }

  /** Reads profiles; its error names the allowed ones. */
  static final class ProfilesConverter implements ITypeConverter<FakeNodeProfiles> {
    @Override
    public FakeNodeProfiles convert(String text) {
      try {
        return FakeNodeProfiles.parse(text);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(String.valueOf(e.getMessage()));
      }
    }
  }

  /** Reads {@code 60} or {@code 60s}. */
  static final class SecondsConverter implements ITypeConverter<Duration> {
    private static final int MIN = 10;
    private static final int MAX = 3600;

    @Override
    public Duration convert(String text) {
      int seconds = seconds(text);
      if (seconds < MIN || seconds > MAX) {
        throw new TypeConversionException(
            "\"%s\" is not a number of seconds from %d to %d".formatted(text, MIN, MAX));
      }
      return Duration.ofSeconds(seconds);
    }

    private static int seconds(String text) {
      try {
        return Integer.parseInt(text.endsWith("s") ? text.substring(0, text.length() - 1) : text);
      } catch (NumberFormatException e) {
        return -1;
      }
    }
  }
}
