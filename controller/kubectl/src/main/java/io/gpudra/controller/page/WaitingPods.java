package io.gpudra.controller.page;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.kube.mapping.PodView;
import io.gpudra.controller.view.UserView;
import java.util.Comparator;
import java.util.List;

/**
 * Pods that wait for GPUs, the oldest first.
 *
 * @param total how many there are
 * @param pods the first of them
 */
record WaitingPods(int total, ImmutableList<Pod> pods) {
  private static final int MAX = 200;

  /** Maximum of pods that are evaluated for each scene, since each is tried on all nodes. */
  private static final int MAX_JUDGED = 25;

  /**
   * A pod that waits.
   *
   * @param why empty if it is only evaluated on request
   */
  record Pod(PodView pod, String why) {}

  static WaitingPods of(UserView userView) {
    WaitReasonText wait = new WaitReasonText(userView);
    List<PodView> all =
        userView.objects().pods().stream()
            .filter(pod -> pod.node().isEmpty() && !pod.facts().deleting())
            .filter(wait::isForUs)
            .sorted(
                Comparator.comparing(PodView::created)
                    .thenComparing(pod -> pod.facts().ref().toString()))
            .toList();
    ImmutableList<Pod> judged =
        all.stream()
            .limit(MAX_JUDGED)
            .map(pod -> new Pod(pod, wait.why(pod)))
            .collect(toImmutableList());
    ImmutableList<Pod> others =
        all.stream()
            .skip(MAX_JUDGED)
            .limit(MAX - MAX_JUDGED)
            .map(pod -> new Pod(pod, ""))
            .collect(toImmutableList());
    return new WaitingPods(
        all.size(), ImmutableList.<Pod>builder().addAll(judged).addAll(others).build());
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
