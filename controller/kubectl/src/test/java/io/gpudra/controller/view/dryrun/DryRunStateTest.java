package io.gpudra.controller.view.dryrun;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.sun.management.ThreadMXBean;
import io.gpudra.controller.kube.ClusterObjects;
import io.gpudra.controller.snapshot.ClusterSnapshot;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.NodeDemand;
import io.gpudra.crds.testing.NodeFixture;
import java.lang.management.ManagementFactory;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DryRunStateTest {
  private static Inventory node(int number) {
    String name = "worker-" + number;
    ImmutableMap<String, Long> allocatable = ImmutableMap.of("cpu", 4_000L);
    return NodeFixture.node(name)
        .state(NodeFixture.ready(name, ImmutableMap.of(), ImmutableSet.of(), allocatable))
        .inventory();
  }

  private static DryRunState withNodes(int count) {
    ClusterObjects empty = new SmallCluster().reading();
    ClusterObjects reading =
        new ClusterObjects(
            empty.claims(),
            empty.classes(),
            empty.claimParameters(),
            empty.classParameters(),
            empty.namespaces(),
            IntStream.range(0, count)
                .mapToObj(DryRunStateTest::node)
                .collect(ImmutableList.toImmutableList()),
            empty.quotas(),
            empty.malformed());
    return new DryRunState(
        ClusterSnapshot.of(reading, SmallCluster.DRIVER, SmallCluster.NOW), ImmutableMap.of());
  }

  private static NodeDemand demand(ImmutableMap<String, Long> size) {
    return new NodeDemand(Optional.empty(), ImmutableList.of(), size);
  }

  @Test
  void theResourcesOfAllNodesAreComparedOnceForAllPods() {
    DryRunState dryRunState = withNodes(1_000);
    NodeDemand demand = demand(ImmutableMap.of("cpu", 1L, "example.com/other", 1L));
    assertThat(dryRunState.judged(demand)).isEqualTo(demand(ImmutableMap.of("cpu", 1L)));
    ThreadMXBean thread = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    long before = thread.getCurrentThreadAllocatedBytes();
    for (int pod = 0; pod < 100; pod++) {
      NodeDemand unused = dryRunState.judged(demand);
    }
    assertThat(thread.getCurrentThreadAllocatedBytes() - before).isLessThan(2 << 20);
  }
}
