package io.gpudra.kubeletplugin.kube;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableSet;
import io.gpudra.kubeletplugin.testing.FakeApi;
import io.gpudra.kubeletplugin.testing.FakeNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NodeReaderTest {

  @ParameterizedTest
  @CsvSource({
    "v1.27.4, false",
    "v1.27.16+k3s1, false",
    "v1.26.0, false",
    "v1.28.0, true",
    "v1.30.14-gke.100, true",
    "v2.0.0, true",
    "'', true"
  })
  void kubeletsAskAgainSince128(String version, boolean asksAgain) {
    assertThat(NodeReader.asksAgain(version)).isEqualTo(asksAgain);
  }

  @TempDir Path directory = Path.of("");

  @Test
  void seesTheContainerRuntime() throws IOException {
    String path = "/api/v1/nodes/" + FakeNode.NAME;
    try (FakeApi api = new FakeApi()) {
      NodeReader node =
          new NodeReader(KubeApi.open(Optional.of(api.kubeconfig(directory))), FakeNode.NAME);
      api.put(path, "uid", "{\"nodeInfo\":{\"containerRuntimeVersion\":\"containerd://1.7.22\"}}");
      assertThat(node.containerRuntime()).contains("containerd://1.7.22");

      api.remove(path);
      assertThat(node.containerRuntime()).as("no answer").isEmpty();
    }
  }

  @Test
  void seesWhatADevicePluginHandsOut() throws IOException {
    String path = "/api/v1/nodes/" + FakeNode.NAME;
    try (FakeApi api = new FakeApi()) {
      NodeReader node =
          new NodeReader(KubeApi.open(Optional.of(api.kubeconfig(directory))), FakeNode.NAME);
      assertThat(node.ofDevicePlugin(ImmutableSet.of())).contains(0);

      api.put(path, "uid", "{\"allocatable\":{\"cpu\":\"8\",\"nvidia.com/gpu\":\"3\"}}");
      assertThat(node.ofDevicePlugin(ImmutableSet.of())).contains(3);

      api.put(
          path,
          "uid",
          "{\"allocatable\":{\"nvidia.com/hostdev\":\"9\",\"nvidia.com/gpu.shared\":\"8\",\"nvidia.com/mig-1g.5gb\":\"7\"}}");
      assertThat(node.ofDevicePlugin(ImmutableSet.of()))
          .as("replicas and MIG devices")
          .contains(15);

      assertThat(node.ofDevicePlugin(ImmutableSet.of("nvidia.com/hostdev")))
          .as("under a name that it was found by")
          .contains(24);

      api.put(path, "uid", "{\"allocatable\":{\"nvidia.com/gpu\":\"0\"}}");
      assertThat(node.ofDevicePlugin(ImmutableSet.of()))
          .as("what a kubelet says when it has ended")
          .contains(0);

      api.remove(path);
      assertThat(node.ofDevicePlugin(ImmutableSet.of())).as("no answer").isEmpty();
    }
  }
}
