package io.gpudra.kubeletplugin.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.gpudra.kubeletplugin.device.nvidia.EvictionTrigger;
import io.gpudra.kubeletplugin.pods.NodePods;
import io.gpudra.kubeletplugin.pods.PodCgroups;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class PluginOptionsTest {

  private static PluginOptions parse(String... args) {
    PluginOptions options = new PluginOptions();
    new CommandLine(CommandLine.Model.CommandSpec.forAnnotatedObject(options))
        .setCaseInsensitiveEnumValuesAllowed(true)
        .parseArgs(args);
    return options;
  }

  @Test
  void hasTheDefaultsOfAnOrdinaryNode() {
    PluginOptions options = parse("--node-name=n");

    assertThat(options.driverName).isEqualTo("gpu.resource.example.com");
    assertThat(options.kubeletDir).isEqualTo(Path.of("/var/lib/kubelet"));
    assertThat(options.cdiRoot).isEqualTo(Path.of("/var/run/cdi"));
    assertThat(options.stateDirOrDefault())
        .isEqualTo(Path.of("/var/lib/kubelet/plugins/gpu.resource.example.com"));
    assertThat(options.heartbeat).isEqualTo(Duration.ofSeconds(60));
    assertThat(options.devices).as("never silently fake").isEqualTo(PluginOptions.Kind.AUTO);
    assertThat(options.bootIdFile).isEqualTo(Path.of("/proc/sys/kernel/random/boot_id"));
  }

  @ParameterizedTest
  @CsvSource({
    "--profile=v100,latest",
    "--heartbeat=9,10 to 3600",
    "--heartbeat=x,10 to 3600",
    "'--evict-on=lost,thermal','LOST, XID, ECC'"
  })
  void saysWhatIsAllowed(String wrong, String hint) {
    assertThatThrownBy(() -> parse("--node-name=n", wrong)).hasMessageContaining(hint);
  }

  @Test
  void podsLeaveAGpuForWhatIsNamed() {
    assertThat(parse("--node-name=n").evictOn).isEmpty();
    assertThat(parse("--node-name=n", "--evict-on=xid,lost,ecc").evictOn)
        .containsExactlyInAnyOrder(EvictionTrigger.values());
  }

  @Test
  void thePodsOfTheNodeAreNotKnownWithoutItsCgroupsAndWithoutAPodOfItsOwn() {
    assertThat(parse("--node-name=n").pods()).isSameAs(NodePods.UNKNOWN);
    assertThat(parse("--node-name=n", "--cgroup-root=/c").pods()).isSameAs(NodePods.UNKNOWN);
    assertThat(parse("--node-name=n", "--cgroup-root=/c", "--pod-uid=u").pods())
        .isEqualTo(new PodCgroups(Path.of("/c"), "u"));
  }

  @Test
  void takesSecondsWithOrWithoutUnit() {
    assertThat(parse("--node-name=n", "--heartbeat=10s").heartbeat)
        .isEqualTo(parse("--node-name=n", "--heartbeat=10").heartbeat);
  }

  @Test
  void line35ADriverNameOfMoreThan26CharactersIsRefusedAtStart() {
    StringWriter said = new StringWriter();
    CommandLine plugin = PluginMain.command().setErr(new PrintWriter(said));

    int exit = plugin.execute("--node-name=n", "--driver-name=gpu.resource.long.example.com");

    assertThat(exit).isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(said.toString())
        .contains(
            "--driver-name: \"gpu.resource.long.example.com\" has 29 characters, at most 26 are possible with kubelet 1.27-1.30");
  }
}
