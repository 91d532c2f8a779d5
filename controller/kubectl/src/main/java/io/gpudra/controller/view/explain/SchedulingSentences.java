package io.gpudra.controller.view.explain;

import io.gpudra.controller.kube.mapping.PodView.Scheduling;
import java.util.stream.Stream;

/**
 * The text about scheduling gates, other schedulers and what they say, which comes before an
 * allocation.
 */
public record SchedulingSentences(Scheduling pod) {

  /** A sentence for each of them. */
  public Stream<String> lines() {
    return Stream.concat(
        withoutRefusal(),
        pod.refusal().stream().map("%s says: ".formatted(pod.scheduler())::concat));
  }

  /** The same, but for what the scheduler says. */
  Stream<String> withoutRefusal() {
    return Stream.concat(gates(), scheduler());
  }

  private Stream<String> gates() {
    return pod.gates().isEmpty()
        ? Stream.of()
        : Stream.of(
            "not scheduled until %s removed: %s"
                .formatted(
                    pod.gates().size() == 1 ? "the scheduling gate is" : "the scheduling gates are",
                    String.join(", ", pod.gates())));
  }

  private Stream<String> scheduler() {
    return pod.isOfDefaultScheduler()
        ? Stream.of()
        : Stream.of("it uses scheduler %s".formatted(pod.scheduler()));
  }
}
