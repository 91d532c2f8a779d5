package io.gpudra.controller.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.client.ScriptedServer;
import io.gpudra.controller.dra.queue.Requeuer;
import io.gpudra.controller.gate.MemberFacts;
import io.gpudra.controller.loop.ObjectKey;
import java.time.Clock;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The claims that are kept of a list of a group's members. */
final class MemberClaimsTest {
  /** Pods with 64 claims each, of names as long as they may be. */
  private static String manyMembers(int count, String node) {
    return IntStream.range(0, count)
        .mapToObj(
            pod ->
                "{'metadata':{'namespace':'ns','name':'p%1$d','uid':'u%1$d'},'spec':{%2$s%3$s}}"
                    .formatted(pod, node, claims(pod)))
        .collect(
            Collectors.joining(
                ",",
                "{'kind':'PodList','apiVersion':'v1','metadata':{'resourceVersion':'7'},'items':[",
                "]}"))
        .replace('\'', '"');
  }

  private static String claims(int pod) {
    return IntStream.range(0, MemberFacts.MAX_CLAIMS)
        .mapToObj(
            i ->
                "{'name':'c%d','source':{'resourceClaimName':'%s-%d-%d'}}"
                    .formatted(i, "n".repeat(240), pod, i))
        .collect(Collectors.joining(",", "'resourceClaims':[", "]"));
  }

  private static int claimsOfMembers(String list) throws Exception {
    try (ScriptedServer server = new ScriptedServer(call -> ScriptedServer.json(200, list));
        HttpClients http = server.client()) {
      return sum(
          new KubeGatedPods(
              http,
              new KubeSettings("gpu.example.com", 30, Clock.systemUTC()),
              () -> true,
              new Requeuer(() -> 0, () -> 0L)));
    }
  }

  private static int sum(KubeGatedPods pods) throws Exception {
    return pods.members(new ObjectKey("ns", "group/g")).orElseThrow().stream()
        .mapToInt(member -> member.claims().size())
        .sum();
  }

  @Test
  void theClaimsOfThousandsOfMembersTakeFewBytes() throws Exception {
    assertThat(claimsOfMembers(manyMembers(1_000, "'nodeName':'n1',")))
        .isEqualTo(MemberFacts.MAX_CLAIMS_OF_ALL);
  }

  @Test
  void noClaimsAreKeptOfMembersThatDoNotRun() throws Exception {
    assertThat(claimsOfMembers(manyMembers(100, ""))).isZero();
  }
}
