package io.gpudra.controller.dashboard;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedMap;
import io.gpudra.controller.check.ClusterCheck;
import io.gpudra.controller.check.Finding;
import io.gpudra.controller.view.NodeUse;
import io.gpudra.controller.view.QuotaUsage;
import io.gpudra.controller.view.UserView;
import io.gpudra.controller.view.dryrun.QueryDeadline;
import java.time.Duration;
import java.util.List;

/**
 * Builds a state from each snapshot. Besides the nodes it has these parts:
 *
 * <pre>
 * about:    {"cluster", "driver", "notes": [what may not be read…]}
 * waiting:  {"total", "pods": [[namespace, name, waiting since in seconds, why]…]}, the oldest first
 * findings: {"total", "list": [[kind, node, what, what to do, [[namespace, claim]…]]…]}
 * quotas:   {"total", "list": [[namespace, quota, resource, used, limit, thousandths]…]}, the fullest first
 * </pre>
 */
final class DashboardStateBuilder {
  private static final int MAX_FINDINGS = 200;
  private static final int MAX_QUOTAS = 50;
  private static final int THOUSANDTHS = 1000;

  private final String driverName;
  private final String cluster;
  private final FindingDebouncer findingDebouncer;

  /**
   * A builder for one cluster.
   *
   * @param cluster its name in the kubeconfig
   * @param settle the time that a finding must last before it is shown
   */
  DashboardStateBuilder(String driverName, String cluster, Duration settle) {
    this.driverName = driverName;
    this.cluster = cluster;
    this.findingDebouncer = new FindingDebouncer(settle);
  }

  DashboardState of(UserView userView) {
    return new DashboardState(userView.now(), nodes(userView), parts(userView), "");
  }

  private static ImmutableSortedMap<String, String> nodes(UserView userView) {
    return NodeUse.all(userView.cluster()).stream()
        .collect(
            ImmutableSortedMap.toImmutableSortedMap(
                String::compareTo,
                NodeUse::name,
                node -> DashboardNodeJson.of(node, userView.objects().consumers())));
  }

  private ImmutableMap<String, String> parts(UserView userView) {
    return ImmutableMap.of(
        "about", about(userView),
        "waiting", WaitingPods.of(userView, QueryDeadline.ofAPerson()).json(),
        "findings", findings(userView),
        "quotas", quotas(userView));
  }

  private String about(UserView userView) {
    return DashboardJson.text(
        ImmutableMap.of("cluster", cluster, "driver", driverName, "notes", userView.missing()));
  }

  private static String quotas(UserView userView) {
    ImmutableList<QuotaUsage> all = QuotaUsage.all(userView.cluster());
    List<List<Object>> list =
        all.stream().limit(MAX_QUOTAS).map(DashboardStateBuilder::quota).toList();
    return DashboardJson.text(ImmutableMap.of("total", all.size(), "list", list));
  }

  private static List<Object> quota(QuotaUsage usage) {
    return List.of(
        usage.namespace(),
        usage.quota(),
        usage.resource(),
        usage.used(),
        usage.hard(),
        Math.round(usage.share() * THOUSANDTHS));
  }

  private String findings(UserView userView) {
    ImmutableList<Finding> all =
        findingDebouncer.of(ClusterCheck.of(userView.cluster()), userView.now());
    List<List<Object>> list =
        all.stream().limit(MAX_FINDINGS).map(DashboardStateBuilder::finding).toList();
    return DashboardJson.text(ImmutableMap.of("total", all.size(), "list", list));
  }

  private static List<Object> finding(Finding finding) {
    return List.of(
        finding.kind().label(),
        finding.node(),
        finding.message(),
        finding.kind().remedy(),
        finding.claims().values().stream()
            .map(claim -> List.of(claim.namespace(), claim.name()))
            .toList());
  }
}
