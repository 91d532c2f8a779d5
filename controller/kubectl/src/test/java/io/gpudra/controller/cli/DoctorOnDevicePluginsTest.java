package io.gpudra.controller.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.controller.kube.testing.Cluster;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Resource;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nodes on which a device plugin hands out GPUs, or did. */
class DoctorOnDevicePluginsTest extends DoctorCase {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "nvidia.com/gpu",
        "nvidia.com/gpu.shared",
        "nvidia.com/mig-1g.5gb",
        "volcano.sh/vgpu-number",
        "aliyun.com/gpu-mem"
      })
  void aDevicePluginBesideUsIsTold(String resource) throws IOException {
    ObjectNode node = cluster.objects.get(Resource.NODES, "", "worker-1").orElseThrow();
    node.withObject("/status/allocatable").put(resource, "2");
    cluster.objects.updateStatus(Resource.NODES, node);
    assertThat(found()).containsExactly("DevicePluginToo node worker-1");
    assertThat(what()).isEqualTo("a device plugin also offers 2 of its GPUs");
  }

  @Test
  void aDevicePluginUnderAnotherNameIsToldAsTheNodesPluginSeesIt() throws IOException {
    ObjectNode inventory = cluster.objects.get(INVENTORIES, "", "worker-1").orElseThrow();
    ((ObjectNode) inventory.at("/status/devices/0"))
        .withArray("taints")
        .addObject()
        .put("key", Cluster.DRIVER + "/foreign-use")
        .put("effect", "NoSchedule")
        .put("reason", "a device plugin hands out 8 GPUs of this node, too");
    cluster.objects.updateStatus(INVENTORIES, inventory);
    assertThat(found()).containsExactly("DevicePluginToo node worker-1");
    assertThat(what()).isEqualTo("a device plugin hands out 8 GPUs of this node, too");
  }

  @Test
  void podsThatKeepWhatADevicePluginGaveThemAreTold() throws IOException {
    abandon("worker-1");
    assertThat(found()).isEmpty();

    ObjectNode pod =
        cluster.objects.create(
            Resource.PODS,
            Json.parse(
                """
                {"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"default","name":"train"},
                 "spec":{"nodeName":"worker-1","containers":[
                  {"name":"c","image":"c","resources":{"limits":{"nvidia.com/gpu":"1"}}}]}}\
                """));
    assertThat(found()).containsExactly("DevicePluginToo node worker-1");
    assertThat(what()).isEqualTo("pods still hold GPUs of a removed device plugin: default/train");

    pod.withObjectProperty("status").put("phase", "Succeeded");
    cluster.objects.updateStatus(Resource.PODS, pod);
    assertThat(found()).isEmpty();
  }

  private void abandon(String name) {
    ObjectNode node = cluster.objects.get(Resource.NODES, "", name).orElseThrow();
    node.withObject("/status/allocatable").put("nvidia.com/gpu", "0");
    cluster.objects.updateStatus(Resource.NODES, node);
  }

  @Test
  void howManyNodesADevicePluginHasLeftMakesNoDifferenceToTheServer() throws IOException {
    abandon("worker-1");
    long one = listsOfPods();
    for (int i = 2; i < 6; i++) {
      cluster.addNode("worker-" + i);
      abandon("worker-" + i);
    }
    assertThat(listsOfPods()).isEqualTo(one);
  }

  private long listsOfPods() throws IOException {
    cluster.server.requests().clear();
    assertThat(found()).isEmpty();
    return cluster
        .server
        .requests()
        .count(entry -> entry.verb().equals("list") && entry.resource().equals("pods"));
  }
}
