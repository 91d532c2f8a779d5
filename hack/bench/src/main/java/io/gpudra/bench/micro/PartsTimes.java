package io.gpudra.bench.micro;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.bench.sample.ProfileNode;
import io.gpudra.controller.dra.NodeSuitability;
import io.gpudra.controller.dra.PendingClaim;
import io.gpudra.controller.gpu.GpuRequest;
import io.gpudra.crds.model.node.DeviceToleration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Evaluates a node of eight GPUs in MIG mode, and many nodes of several kinds. */
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class PartsTimes {
  private static final int NODES = 128;
  private static final List<String> PROFILES =
      List.of("a100-40", "a100", "h100", "l40s", "t4", "dgx1", "mixed", "a100-broken-link");

  /** Every compute slice of eight GPUs: one whole, the others in two to seven parts. */
  private static final ImmutableMap<String, Integer> MIX =
      ImmutableMap.of("7g.40gb", 1, "4g.20gb", 5, "3g.20gb", 3, "2g.10gb", 4, "1g.5gb", 12);

  /** A toleration of its own makes the request different from all others. */
  private static PendingClaim<GpuRequest> ofDeployment(int number, PendingClaim<GpuRequest> claim) {
    GpuRequest asked = claim.parameters();
    DeviceToleration own =
        new DeviceToleration("of-" + number, Optional.empty(), Optional.empty(), Optional.empty());
    return new PendingClaim<>(
        claim.claim(),
        claim.resourceClass(),
        new GpuRequest(
            asked.alternatives(),
            asked.insideEntry(),
            asked.policy(),
            ImmutableList.of(own),
            asked.shareable(),
            asked.generation()));
  }

  /** Eight free GPUs, and deployments without an evaluated pod. */
  @State(Scope.Benchmark)
  public static class OneNode {
    /** The requested MIG devices. */
    @Param({"56", "57", "mix", "mix+1"})
    public String wanted = "56";

    private SampleDriver sample = SampleDriver.with(ImmutableMap.of());
    private ImmutableList<PendingClaim<GpuRequest>> asked = ImmutableList.of();
    private int deployments;

    /** Creates the node. */
    @Setup
    public void prepare() {
      sample = SampleDriver.with(ImmutableMap.of("asked", SampleDriver.spec(asked(wanted))));
      sample.ledgers().observe(new ProfileNode("cut", PROFILES.get(0)).inventory());
    }

    /** A new request for each invocation, since answers are cached by request. */
    @Setup(Level.Invocation)
    public void anotherDeployment() {
      asked = ImmutableList.of(ofDeployment(deployments++, sample.pending("asked")));
    }
  }

  /** Nodes of several kinds, some of them partly in use. */
  @State(Scope.Benchmark)
  public static class ManyNodes {
    private final SampleDriver sample =
        SampleDriver.with(
            ImmutableMap.of(
                "slices",
                SampleDriver.spec("{'count':2,'migProfile':'2g.20gb'}"),
                "half",
                SampleDriver.spec("{'migProfile':'3g.40gb','cel':'device.index % 2 == 0'}"),
                "pair",
                SampleDriver.spec("{'count':2,'topology':'nvlink','memory':'40Gi'}"),
                "share",
                SampleDriver.spec("{'mode':'shared','memoryLimit':'6Gi'}")));
    private final ImmutableSet<String> nodes = mixed(sample);
    private final ImmutableList<PendingClaim<GpuRequest>> known = pod("known");
    private ImmutableList<PendingClaim<GpuRequest>> alike = known;
    private ImmutableList<PendingClaim<GpuRequest>> unknown = known;
    private int pods;

    /** New pods: one of a known deployment, and one of another. */
    @Setup(Level.Invocation)
    public void anotherPod() {
      alike = pod("pod-" + pods++);
      unknown =
          alike.stream()
              .map(claim -> ofDeployment(pods, claim))
              .collect(ImmutableList.toImmutableList());
    }

    private ImmutableList<PendingClaim<GpuRequest>> pod(String name) {
      return Stream.of("slices", "half", "pair", "share")
          .map(claim -> sample.pending(claim, claim + "-" + name))
          .collect(ImmutableList.toImmutableList());
    }
  }

  private static String asked(String wanted) {
    if (!wanted.startsWith("mix")) {
      return "{'count':%s,'migProfile':'1g.5gb'}".formatted(wanted);
    }
    int more = wanted.equals("mix") ? 0 : 1;
    StringBuilder requests = new StringBuilder();
    MIX.forEach(
        (profile, count) ->
            requests.append(
                "{'name':'r%d','migProfile':'%s','count':%d},"
                    .formatted(
                        requests.length(),
                        profile,
                        count + (profile.startsWith("1g") ? more : 0))));
    return "{'requests':[%s]}".formatted(requests.substring(0, requests.length() - 1));
  }

  private static ImmutableSet<String> mixed(SampleDriver sample) {
    ImmutableSet.Builder<String> names = ImmutableSet.builder();
    for (int i = 0; i < NODES; i++) {
      ProfileNode node = new ProfileNode("node-" + i, PROFILES.get(i % PROFILES.size()));
      sample.ledgers().observe(node.inventory());
      for (int device = 0; device < i % 3; device++) {
        sample.hold(node.name(), node.device(device));
      }
      names.add(node.name());
    }
    return names.build();
  }

  /** Eight free GPUs. */
  @Benchmark
  public NodeSuitability oneNode(OneNode one) {
    return one.sample.driver().suitability(one.asked, ImmutableSet.of("cut"));
  }

  /** Nodes of several kinds, some of them partly in use. */
  @Benchmark
  public NodeSuitability manyNodes(ManyNodes many) {
    return many.sample.driver().suitability(many.unknown, many.nodes);
  }

  /** The same, for another pod of a deployment. */
  @Benchmark
  public NodeSuitability alike(ManyNodes many) {
    return many.sample.driver().suitability(many.alike, many.nodes);
  }

  /** The same, for a pod that was evaluated before. */
  @Benchmark
  public NodeSuitability again(ManyNodes many) {
    return many.sample.driver().suitability(many.known, many.nodes);
  }
}
