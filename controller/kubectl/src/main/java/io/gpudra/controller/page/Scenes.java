package io.gpudra.controller.page;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedMap;
import io.gpudra.controller.check.ClusterCheck;
import io.gpudra.controller.check.Finding;
import io.gpudra.controller.view.NodeUse;
import io.gpudra.controller.view.Sight;
import java.time.Duration;
import java.util.List;

/**
 * Makes a scene of each reading. Besides the nodes it has these parts:
 *
 * <pre>
 * about:    {"cluster", "driver", "notes": [what may not be read…]}
 * waiting:  {"total", "pods": [[namespace, name, waiting since in seconds, why]…]}, the oldest first
 * findings: {"total", "list": [[kind, node, what, what to do, [[namespace, claim]…]]…]}
 * </pre>
 */
final class Scenes {
  private static final int MAX_FINDINGS = 200;

  private final String driverName;
  private final String cluster;
  private final Lasting lasting;

  /**
   * For one cluster.
   *
   * @param cluster its name in the kubeconfig
   * @param settle how long a finding must last before it is shown
   */
  Scenes(String driverName, String cluster, Duration settle) {
    this.driverName = driverName;
    this.cluster = cluster;
    this.lasting = new Lasting(settle);
  }

  Scene of(Sight sight) {
    return new Scene(sight.now(), nodes(sight), parts(sight), "");
  }

  private static ImmutableSortedMap<String, String> nodes(Sight sight) {
    return NodeUse.all(sight.cluster()).stream()
        .collect(
            ImmutableSortedMap.toImmutableSortedMap(
                String::compareTo,
                NodeUse::name,
                node -> NodeJson.of(node, sight.objects().consumers())));
  }

  private ImmutableMap<String, String> parts(Sight sight) {
    return ImmutableMap.of(
        "about", about(sight),
        "waiting", Waiting.of(sight).json(),
        "findings", findings(sight));
  }

  private String about(Sight sight) {
    return Json.text(
        ImmutableMap.of("cluster", cluster, "driver", driverName, "notes", sight.missing()));
  }

  private String findings(Sight sight) {
    ImmutableList<Finding> all = lasting.of(ClusterCheck.of(sight.cluster()), sight.now());
    List<List<Object>> list = all.stream().limit(MAX_FINDINGS).map(Scenes::finding).toList();
    return Json.text(ImmutableMap.of("total", all.size(), "list", list));
  }

  private static List<Object> finding(Finding finding) {
    return List.of(
        finding.kind().label(),
        finding.node(),
        finding.what(),
        finding.kind().remedy(),
        finding.claims().values().stream()
            .map(claim -> List.of(claim.namespace(), claim.name()))
            .toList());
  }
}
