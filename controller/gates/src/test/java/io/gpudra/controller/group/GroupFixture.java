package io.gpudra.controller.group;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.DeviceConstraints;
import io.gpudra.controller.allocation.request.DevicePredicate;
import io.gpudra.controller.allocation.request.DeviceSubRequest;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.controller.allocation.request.RequestAlternative;
import io.gpudra.controller.allocation.testing.FixedPredicate.Among;
import io.gpudra.controller.allocation.testing.RequestFixture;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.PodRef;
import io.gpudra.crds.model.node.NodeDemand;
import io.gpudra.crds.testing.GpuModels;
import io.gpudra.crds.testing.NodeFixture;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Nodes with GPUs and cores, and groups of pods for them. */
final class GroupFixture {
  static final String NS = "team-a";
  static final long CORE = 1_000;
  private static final long CORES = 64;

  private GroupFixture() {}

  /** A node with many cores. */
  static NodeLedger node(String name, int gpus) {
    return node(name, gpus, CORES);
  }

  static NodeLedger node(String name, int gpus, long cores) {
    return NodeLedger.of(
        NodeFixture.node(name)
            .gpus(gpus, GpuModels.model("A100", 40))
            .state(
                NodeFixture.ready(
                    name,
                    ImmutableMap.of("name", name),
                    ImmutableSet.of(),
                    ImmutableMap.of("cpu", cores * CORE)))
            .inventory());
  }

  static ImmutableList<NodeLedger> nodes(int count, int gpus) {
    return IntStream.range(0, count)
        .mapToObj(i -> node("n%03d".formatted(i), gpus))
        .collect(toImmutableList());
  }

  static ClaimRequest claim(String name, int gpus) {
    return claim(name, gpus, Among.EVERY);
  }

  static ClaimRequest claim(String name, int gpus, DevicePredicate predicate) {
    return new RequestFixture(
            new ClaimRef(NS, name),
            ImmutableList.of(
                new RequestAlternative(
                    ImmutableList.of(DeviceSubRequest.whole(gpus, predicate)),
                    DeviceConstraints.ANYHOW)))
        .build();
  }

  /** A pod of one core. */
  static GroupMember member(String pod, ClaimRequest... claims) {
    return member(pod, 1, claims);
  }

  static GroupMember member(String pod, long cores, ClaimRequest... claims) {
    return new GroupMember(
        new PodRef(NS, pod, pod + "-uid"),
        new PodRequest(ImmutableList.copyOf(claims)),
        demand(cores),
        Optional.empty());
  }

  static NodeDemand demand(long cores) {
    return new NodeDemand(
        Optional.empty(), ImmutableList.of(), ImmutableMap.of("cpu", cores * CORE));
  }

  static GroupMember tied(GroupMember member, String node) {
    return new GroupMember(member.pod(), member.request(), member.demand(), Optional.of(node));
  }

  /** Pods that each want so many GPUs. */
  static GroupRequest alike(int members, int gpus) {
    return group(
        IntStream.range(0, members)
            .mapToObj(i -> member("p" + i, claim("c" + i, gpus)))
            .toArray(GroupMember[]::new));
  }

  static GroupRequest group(GroupMember... members) {
    return new GroupRequest(ImmutableList.copyOf(members), ImmutableSet.of());
  }

  static GroupAnswer search(Iterable<NodeLedger> nodes, GroupRequest request) {
    return GroupSearch.of(
        ImmutableList.copyOf(nodes), unused -> true, request, new NodeCapacities(), () -> false);
  }

  /** The names of the pods on each node. */
  static ImmutableMap<String, ImmutableList<String>> pods(GroupAnswer answer) {
    ImmutableMap.Builder<String, ImmutableList<String>> pods = ImmutableMap.builder();
    ((GroupAnswer.Fits) answer)
        .byNode()
        .forEach((node, parts) -> pods.put(node, names(parts.stream())));
    return pods.buildOrThrow();
  }

  private static ImmutableList<String> names(Stream<GroupPart> parts) {
    return parts
        .flatMap(part -> part.members().stream())
        .map(member -> member.pod().name())
        .collect(toImmutableList());
  }

  /** The number of pods on each node that has some. */
  static ImmutableMap<String, Integer> counts(GroupAnswer answer) {
    ImmutableMap.Builder<String, Integer> counts = ImmutableMap.builder();
    pods(answer).forEach((node, pods) -> counts.put(node, pods.size()));
    return counts.buildOrThrow();
  }
}
