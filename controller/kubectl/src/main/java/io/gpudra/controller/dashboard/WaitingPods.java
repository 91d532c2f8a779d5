package io.gpudra.controller.dashboard;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.kube.mapping.PodView;
import io.gpudra.controller.view.UserView;
import io.gpudra.controller.view.dryrun.QueryDeadline;
import java.util.Comparator;
import java.util.List;

/**
 * Pods that wait for GPUs, the oldest first.
 *
 * @param total the number of these pods
 * @param pods the first of them
 */
record WaitingPods(int total, ImmutableList<Pod> pods) {
  private static final int MAX = 200;

  /** The maximum number of pods that are evaluated for each state, each on all nodes. */
  private static final int MAX_EVALUATED = 25;

  /**
   * A pod that waits.
   *
   * @param why the reason; empty if the pod is only evaluated on request
   */
  record Pod(PodView pod, String why) {}

  /**
   * The waiting pods of one snapshot.
   *
   * @param deadline after which no further pod is evaluated
   */
  static WaitingPods of(UserView userView, QueryDeadline deadline) {
    WaitReasonText wait = new WaitReasonText(userView);
    List<PodView> all =
        userView.objects().pods().stream()
            .filter(pod -> pod.node().isEmpty() && !pod.facts().deleting())
            .filter(wait::isForUs)
            .sorted(
                Comparator.comparing(PodView::created)
                    .thenComparing(pod -> pod.facts().ref().toString()))
            .toList();
    ImmutableList.Builder<Pod> pods = ImmutableList.builder();
    for (PodView pod : all.subList(0, Math.min(all.size(), MAX_EVALUATED))) {
      pods.add(new Pod(pod, deadline.isOver() ? "" : wait.why(pod)));
    }
    all.stream()
        .skip(MAX_EVALUATED)
        .limit(MAX - MAX_EVALUATED)
        .forEach(pod -> pods.add(new Pod(pod, "")));
    return new WaitingPods(all.size(), pods.build());
  }

  String json() {
    return DashboardJson.text(
        ImmutableMap.of("total", total, "pods", pods.stream().map(WaitingPods::json).toList()));
  }

  private static List<Object> json(Pod waiting) {
    PodView pod = waiting.pod();
    return List.of(
        pod.facts().ref().namespace(),
        pod.facts().ref().name(),
        pod.created().getEpochSecond(),
        waiting.why());
  }
}
