package io.gpudra.controller.dra.engine;

import static io.gpudra.controller.dra.testing.Some.claim;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.WriteOutcome.Kind;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.dra.testing.World;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** Before and after of the rows of {@link HelperCasesTest}, by the case's name. */
final class HelperCases {
  private static final String[] MAX_NODES =
      IntStream.range(0, 128).mapToObj(i -> "node-" + i).toArray(String[]::new);

  /** The nodes of the cases in which more than 128 are unsuitable. */
  static final ImmutableSet<String> OFFERED =
      ImmutableSet.<String>builder().add(MAX_NODES).add("worker").build();

  /** What a case starts from and what must be true after it. */
  record Story(Consumer<World> given, Consumer<World> then) {}

  private static final ImmutableMap<String, Story> STORIES =
      ImmutableMap.<String, Story>builder()
          .putAll(ends("immediate"))
          .putAll(ends("delayed"))
          .putAll(starts())
          .putAll(allocatedOnes())
          .putAll(quietPods())
          .putAll(pods())
          .buildOrThrow();

  private HelperCases() {}

  static Story of(String name) {
    return Optional.ofNullable(STORIES.get(name)).orElseThrow();
  }

  static ImmutableSet<String> names() {
    return STORIES.keySet();
  }

  private static Some fresh(String mode) {
    return mode.equals("immediate") ? claim("claim").immediate() : claim("claim");
  }

  private static Some allocated(String mode) {
    return fresh(mode).withFinalizer(true).byUs("worker#0", "worker");
  }

  private static ImmutableMap<String, Story> ends(String mode) {
    String prefix = mode + "-deleted-";
    return ImmutableMap.of(
        prefix + "finalizer-removal",
        new Story(
            w -> deleted(w, fresh(mode).withFinalizer(true), true),
            HelperCases::withoutFinalizerAndFree),
        prefix + "finalizer-stop-failure",
        new Story(
            w -> {
              w.cluster.failNext("removeFinalizer", Kind.UNCLEAR);
              deleted(w, fresh(mode).withFinalizer(true), false);
            },
            w -> assertThat(w.claim("claim").hasFinalizer()).isTrue()),
        prefix + "finalizer-no-removal",
        new Story(w -> deleted(w, fresh(mode), true), HelperCases::withoutFinalizerAndFree),
        prefix + "allocated",
        new Story(w -> deleted(w, allocated(mode), true), HelperCases::withoutFinalizerAndFree),
        prefix + "deallocate-failure",
        new Story(
            w -> {
              w.cluster.failNext("deallocate", Kind.UNCLEAR);
              deleted(w, allocated(mode), false);
            },
            granted()),
        prefix + "no-finalizer",
        new Story(w -> deleted(w, fresh(mode), false), w -> {}));
  }

  private static void deleted(World world, Some claim, boolean heldByOthers) {
    if (heldByOthers) {
      world.cluster.heldByOthers.add(Some.ref("claim"));
    }
    world.addClaim(claim.deleting());
  }

  private static ImmutableMap<String, Story> starts() {
    return ImmutableMap.of(
        "invalid-key",
        new Story(w -> {}, w -> {}),
        "not-found",
        new Story(w -> {}, w -> {}),
        "wrong-driver",
        new Story(
            w -> w.addClaim(fresh("immediate").ofClass("other-class")),
            HelperCases::withoutFinalizerAndFree),
        "immediate-do-allocation",
        new Story(w -> w.addClaim(fresh("immediate")), granted()),
        "immediate-continue-allocation",
        new Story(w -> w.addClaim(fresh("immediate").withFinalizer(true)), granted()),
        "immediate-fail-allocation",
        new Story(
            w -> {
              w.driver.unsuitable = ImmutableSet.of("worker", "worker-2");
              w.addClaim(fresh("immediate").withFinalizer(true));
            },
            w -> {
              assertThat(w.claim("claim").hasFinalizer()).isTrue();
              assertThat(w.cluster.warnings)
                  .extracting("reason")
                  .containsExactly("NoMatchingDevice");
            }),
        "delayed-pending",
        new Story(w -> w.addClaim(fresh("delayed")), HelperCases::withoutFinalizerAndFree));
  }

  private static ImmutableMap<String, Story> allocatedOnes() {
    return ImmutableMap.of(
        "immediate-allocated-nop",
        new Story(w -> w.addClaim(allocated("immediate")), granted()),
        "immediate-allocated-reallocate",
        new Story(
            w -> w.addClaim(allocated("immediate").requested(true)),
            HelperCases::withoutFinalizerAndFree),
        "immediate-allocated-fail-deallocation-during-reallocate",
        new Story(
            w -> {
              w.cluster.failNext("deallocate", Kind.UNCLEAR);
              w.addClaim(allocated("immediate").requested(true));
            },
            granted()));
  }

  private static ImmutableMap<String, Story> quietPods() {
    return ImmutableMap.of(
        "pod-nop",
        new Story(w -> w.addPod("pod").addContext("pod", Optional.of("worker")), w -> {}),
        "pod-immediate",
        new Story(
            w -> {
              w.cluster.classes.clear();
              w.addClaim(fresh("immediate")).addPod("pod", World.direct("claim"));
              w.addContext("pod", Optional.of("worker"));
            },
            HelperCases::withoutFinalizerAndFree),
        "pod-delayed-no-nodes",
        new Story(
            w -> pod(w).addContext("pod", Optional.empty()), HelperCases::withoutFinalizerAndFree),
        "pod-delayed-missing-class",
        new Story(
            w -> {
              w.cluster.classes.clear();
              pod(w).addContext("pod", Optional.of("worker"), "worker", "worker-2");
            },
            w ->
                assertThat(w.cluster.warnings)
                    .as("on the claim and on the pod")
                    .extracting("reason")
                    .containsExactly("ClassNotFound", "ClassNotFound")));
  }

  private static ImmutableMap<String, Story> pods() {
    Story truncated =
        judged(
            OFFERED,
            w -> w.addContext("pod", Optional.of("worker"), MAX_NODES),
            HelperCases::withoutFinalizerAndFree);
    return ImmutableMap.of(
        "pod-delayed-info",
        judged(
            ImmutableSet.of("worker-2"),
            w -> w.addContext("pod", Optional.empty(), "worker", "worker-2"),
            HelperCases::withoutFinalizerAndFree),
        "pod-delayed-allocate",
        judged(
            ImmutableSet.of("worker-2"),
            w -> w.addContext("pod", Optional.of("worker"), "worker", "worker-2"),
            granted("pod-uid")),
        "pod-selected-is-potential-node",
        judged(
            ImmutableSet.of("worker", "worker-2"),
            w -> w.addContext("pod", Optional.of("worker"), "worker", "worker-2"),
            HelperCases::withoutFinalizerAndFree),
        "pod-selected-is-potential-node-truncate-first",
        truncated,
        "pod-selected-is-potential-node-truncate-last",
        truncated);
  }

  private static Story judged(
      ImmutableSet<String> unsuitable, Consumer<World> context, Consumer<World> then) {
    return new Story(
        w -> {
          w.driver.unsuitable = unsuitable;
          context.accept(pod(w));
        },
        then);
  }

  private static World pod(World world) {
    return world.addClaim(fresh("delayed")).addPod("pod", World.direct("claim"));
  }

  private static void withoutFinalizerAndFree(World w) {
    assertThat(w.claim("claim").hasFinalizer()).isFalse();
    assertThat(w.claim("claim").allocation()).isEmpty();
    assertThat(w.claim("claim").deallocationRequested()).isFalse();
    assertThat(w.driver.holds).isEmpty();
  }

  private static Consumer<World> granted(String... pods) {
    return w -> {
      assertThat(w.claim("claim").allocatedByUs()).isTrue();
      assertThat(w.claim("claim").hasFinalizer()).isTrue();
      assertThat(w.claim("claim").reservedFor()).containsExactly(pods);
      assertThat(w.driver.holds).hasSize(1);
    };
  }
}
