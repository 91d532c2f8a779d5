package io.gpudra.controller.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.controller.allocation.request.DevicePredicate;
import io.gpudra.controller.dra.DriverParameters;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.gpu.GpuDriver;
import io.gpudra.controller.gpu.GpuRequest;
import io.gpudra.controller.kube.mapping.ClaimMapping;
import io.gpudra.crds.api.GpuApi;
import io.gpudra.crds.api.parameters.GpuClaimParameters;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1alpha2ResourceClaim;
import io.kubernetes.client.openapi.models.V1alpha2ResourceClaimParametersReference;
import io.kubernetes.client.openapi.models.V1alpha2ResourceClaimSpec;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Many reviews cost the controller no more than their share. */
class AdmissionHandlerLoadTest {
  private final KnownObjects known =
      new KnownObjects()
          .classOf(KnownObjects.DRIVER, "gpu")
          .parameters("team-a", "wanted", "{'cel': 'device.index == 0'}");
  private final GpuDriver driver = known.driver();
  private final ScheduledExecutorService later = Executors.newScheduledThreadPool(1);
  private final AdmissionHandler admission =
      new AdmissionHandler(
          driver,
          known,
          known,
          new InventoryAdmission((namespace, pod, uid) -> Optional.empty()),
          later,
          outcome -> {});

  @AfterEach
  void stop() {
    later.shutdownNow();
  }

  private DevicePredicate granted() {
    V1alpha2ResourceClaim claim =
        new V1alpha2ResourceClaim()
            .metadata(new V1ObjectMeta().namespace("team-a"))
            .spec(
                new V1alpha2ResourceClaimSpec()
                    .resourceClassName("gpu")
                    .parametersRef(
                        new V1alpha2ResourceClaimParametersReference()
                            .apiGroup(GpuApi.GROUP)
                            .kind(GpuClaimParameters.KIND)
                            .name("wanted")));
    ClaimFacts facts = new ClaimMapping(KnownObjects.DRIVER, /* finalizer= */ "").facts(claim);
    DriverParameters<GpuRequest> read = driver.parameters(known.get("gpu").orElseThrow(), facts);
    GpuRequest request = ((DriverParameters.Ready<GpuRequest>) read).value();
    return request.alternatives().get(0).wishes().get(0).devicePredicate();
  }

  private static byte[] claim(String parameters) {
    return Reviews.review(
        "resource.k8s.io/ResourceClaim",
        "CREATE",
        """
        'object': {'spec': {'resourceClassName': 'gpu',
          'parametersRef': {'apiGroup': 'gpu.resource.example.com',
            'kind': 'GpuClaimParameters', 'name': '%s'}}}"""
            .formatted(parameters));
  }

  @Test
  void reviewsPushNothingOutOfTheMemoryByWhichIsGranted() throws IOException {
    DevicePredicate before = granted();
    for (int i = 0; i < 300; i++) {
      String fat = "device.memory != %d".formatted(i) + " && device.memory > 1".repeat(180);
      known.parameters("team-a", "fat", "{'cel': '%s'}".formatted(fat));
      admission.review(
          Reviews.CLIENT,
          claim("fat"),
          answer -> assertThat(Reviews.said(answer)).isEqualTo("allowed"));
    }

    assertThat(granted()).isSameAs(before);
  }

  /** Of one there are up to 4 MiB: of all that come at once they would fill the heap. */
  @Test
  void oneReviewIsReadAtATime() throws Exception {
    byte[] large =
        Reviews.review(
            "gpu.resource.example.com/GpuClaimParameters",
            "UPDATE",
            "'object': {'x': [7" + ", 7".repeat(1_000_000) + "]}");
    ExecutorService clients = Executors.newFixedThreadPool(4);
    try {
      List<Future<Boolean>> asked =
          Stream.generate(() -> clients.submit(() -> isReviewed(large))).limit(50).toList();
      long most = 0;
      while (!asked.stream().allMatch(Future::isDone)) {
        most = Math.max(most, reading());
      }

      assertThat(most).isOne();
      for (Future<Boolean> one : asked) {
        assertThat(one.get()).isTrue();
      }
    } finally {
      clients.shutdownNow();
    }
  }

  private boolean isReviewed(byte[] review) throws IOException {
    AtomicBoolean answered = new AtomicBoolean();
    admission.review(Reviews.CLIENT, review, answer -> answered.set(true));
    return answered.get();
  }

  /** Threads stand still while their stacks are taken. */
  private static long reading() {
    return Thread.getAllStackTraces().values().stream()
        .filter(
            stack ->
                Arrays.stream(stack)
                    .anyMatch(
                        frame ->
                            frame.getClassName().equals(ReviewRequest.class.getName())
                                && frame.getMethodName().equals("read")))
        .count();
  }
}
