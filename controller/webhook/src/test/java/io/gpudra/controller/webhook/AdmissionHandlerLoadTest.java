package io.gpudra.controller.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.controller.allocation.request.DevicePredicate;
import io.gpudra.controller.dra.DriverParameters;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.gpu.GpuDriver;
import io.gpudra.controller.gpu.GpuRequest;
import io.gpudra.controller.kube.mapping.ClaimMapping;
import io.gpudra.controller.webhook.server.ReviewHandler;
import io.gpudra.crds.api.GpuApi;
import io.gpudra.crds.api.parameters.GpuClaimParameters;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1alpha2ResourceClaim;
import io.kubernetes.client.openapi.models.V1alpha2ResourceClaimParametersReference;
import io.kubernetes.client.openapi.models.V1alpha2ResourceClaimSpec;
import java.io.IOException;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.hamcrest.Matchers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Many reviews cost the controller no more than their share. */
class AdmissionHandlerLoadTest {
  private final KnownObjects known =
      new KnownObjects()
          .classOf(KnownObjects.DRIVER, "gpu")
          .ourClass("few", "{'limits': {'devicesPerClaim': 4}}")
          .parameters("team-a", "five", "{'count': 5}")
          .parameters("team-a", "wanted", "{'cel': 'device.index == 0'}");
  private final GpuDriver driver = known.driver();
  private final ScheduledThreadPoolExecutor later = new ScheduledThreadPoolExecutor(1);
  private final AtomicInteger told = new AtomicInteger();
  private final AdmissionHandler admission =
      new AdmissionHandler(known.validators(driver), later, outcome -> told.incrementAndGet());

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
    return request.alternatives().get(0).subRequests().get(0).devicePredicate();
  }

  private static byte[] claim(String parameters) {
    return Reviews.review(
        "resource.k8s.io/ResourceClaim",
        "CREATE",
        """
        'object': {'spec': {'resourceClassName': 'gpu',
          'parametersRef': {'apiGroup': 'gpu.resource.example.com',
            'kind': 'GpuClaimParameters', 'name': '%s'}}}\
        """
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

  /** Is refused because of parameters that may be old. */
  private static byte[] doubtful(int padding) {
    return Reviews.review(
        "resource.k8s.io/ResourceClaim",
        "CREATE",
        """
        'object': {'metadata': {'labels': {'a': '%s'}}, 'spec': {'resourceClassName': 'few',
          'parametersRef': {'apiGroup': 'gpu.resource.example.com',
            'kind': 'GpuClaimParameters', 'name': 'five'}}}\
        """
            .formatted("x".repeat(padding)));
  }

  private void review(int many, byte[] review) throws IOException {
    review(Reviews.CLIENT, many, review);
  }

  private void review(InetAddress client, int many, byte[] review) throws IOException {
    for (int i = 0; i < many; i++) {
      admission.review(client, review, answer -> {});
    }
  }

  /** A second look waits until the latch is open. */
  private CountDownLatch delay() {
    CountDownLatch latch = new CountDownLatch(1);
    later.execute(
        () -> {
          try {
            latch.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    Awaitility.await().until(later.getQueue()::isEmpty);
    return latch;
  }

  @Test
  void ofManyDoubtfulReviewsFewWait() throws Exception {
    CountDownLatch latch = delay();

    review(1000, doubtful(0));

    assertThat(later.getQueue()).hasSize(48);
    assertThat(told).hasValue(1000 - 48);

    latch.countDown();
    Awaitility.await().untilAtomic(told, Matchers.is(1000));
    CountDownLatch again = delay();
    review(49, doubtful(0));
    assertThat(told).as("there is room again").hasValue(1001);
    again.countDown();
  }

  @Test
  void ofLargeDoubtfulReviewsThreeMebibytesOfAnAddressWait() throws IOException {
    CountDownLatch latch = delay();

    review(10, doubtful(900_000));

    assertThat(later.getQueue()).hasSize(3);
    assertThat(told).hasValue(7);
    latch.countDown();
  }

  @Test
  void whoLeftIsNotLookedAtAgain() throws Exception {
    CountDownLatch latch = delay();
    AtomicBoolean answered = new AtomicBoolean();
    admission.review(
        Reviews.CLIENT,
        doubtful(0),
        new ReviewHandler.Answer() {
          @Override
          public boolean isExpected() {
            return false;
          }

          @Override
          public void accept(byte[] json) {
            answered.set(true);
          }
        });
    review(1, doubtful(0));

    latch.countDown();
    Awaitility.await().untilAtomic(told, Matchers.is(1));
    assertThat(answered).isFalse();
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
