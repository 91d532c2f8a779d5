package io.gpudra.kubeletplugin.device.nvidia;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.node.GpuLink;
import io.gpudra.kubeletplugin.device.nvml.NvLink;
import java.util.Collections;
import org.junit.jupiter.api.Test;

class GpuTopologyTest {

  private static final ImmutableMap<String, String> PLACES =
      ImmutableMap.of("0000:01:00.0", "a", "0000:02:00.0", "b", "0000:03:00.0", "c");

  private static ImmutableList<NvLink> links(int count, NvLink.End end, String to) {
    return ImmutableList.copyOf(Collections.nCopies(count, new NvLink(end, to)));
  }

  private static ImmutableList<NvLink> toSwitches(int count) {
    return links(count, NvLink.End.SWITCH, "0000:c4:00.0");
  }

  private static ImmutableList<GpuLink> connections(
      ImmutableMap<String, ImmutableList<NvLink>> links) {
    return new GpuTopology(links, PLACES).connections();
  }

  private static GpuLink link(GpuLink.Type type, int lanes, String... gpus) {
    return new GpuLink(ImmutableSet.copyOf(gpus), type, lanes);
  }

  @Test
  void aBoxWithSwitchesIsOneEntry() {
    assertThat(
            connections(
                ImmutableMap.of("a", toSwitches(12), "b", toSwitches(12), "c", ImmutableList.of())))
        .containsExactly(link(GpuLink.Type.NVSWITCH, 12, "a", "b"));
  }

  @Test
  void throughSwitchesTheFewerLinksOfBothCount() {
    assertThat(
            connections(
                ImmutableMap.of("a", toSwitches(12), "b", toSwitches(11), "c", toSwitches(12))))
        .containsExactly(
            link(GpuLink.Type.NVSWITCH, 11, "a", "b"),
            link(GpuLink.Type.NVSWITCH, 12, "a", "c"),
            link(GpuLink.Type.NVSWITCH, 11, "b", "c"));
  }

  @Test
  void aMeshIsOneEntryForEachPair() {
    assertThat(
            connections(
                ImmutableMap.of(
                    "a", links(2, NvLink.End.GPU, "0000:02:00.0"),
                    "b", links(2, NvLink.End.GPU, "0000:01:00.0"),
                    "c", ImmutableList.of())))
        .containsExactly(link(GpuLink.Type.NVLINK, 2, "a", "b"));
  }

  @Test
  void aProcessorAtTheOtherEndConnectsNoGpus() {
    assertThat(
            connections(
                ImmutableMap.of(
                    "a", links(3, NvLink.End.NPU, "0004:04:00.0"),
                    "b", links(3, NvLink.End.NPU, "0004:04:00.1"))))
        .isEmpty();
  }

  @Test
  void oneGpuAtASwitchReachesNobody() {
    assertThat(connections(ImmutableMap.of("a", toSwitches(12), "b", ImmutableList.of())))
        .isEmpty();
  }
}
