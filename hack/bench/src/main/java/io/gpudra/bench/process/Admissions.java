package io.gpudra.bench.process;

import com.google.common.collect.ImmutableList;
import io.gpudra.bench.figure.Benchmark;
import io.gpudra.bench.figure.Figure;
import io.gpudra.bench.figure.Sample;
import io.gpudra.bench.sample.SampleNode;
import io.gpudra.simulator.api.Api;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Resource;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Measures how long writes of claims and parameters wait for the webhook, over TLS on the loopback.
 * Requests are sent at fixed times, even if earlier ones are not answered, and are timed from then.
 */
public final class Admissions implements Benchmark {
  private static final String NAME = "gpudra-webhook";
  private static final Resource SECRETS = new Resource("", "v1", "secrets");
  private static final Resource CONFIGURATIONS =
      new Resource("admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations");

  private static final int CONNECTIONS = 10;
  private static final int A_SECOND = 500;
  private static final int WARM_UP_SECONDS = 10;
  private static final int SECONDS = 20;

  /** Different conditions, as in a busy cluster. */
  private static final int CONDITIONS = 100;

  private final Workbench bench;

  public Admissions(Workbench bench) {
    this.bench = bench;
  }

  @Override
  public String name() {
    return "webhook";
  }

  @Override
  public ImmutableList<Figure> measure() throws IOException, InterruptedException {
    Path place = bench.place(name());
    Endpoint http = Endpoint.free();
    int port = freePort();
    try (SmallCluster cluster = SmallCluster.start(bench.root(), place.resolve("node"))) {
      Api api = cluster.server().api();
      install(api);
      List<String> options = new ArrayList<>(cluster.controller(http));
      options.add("--webhook-port=" + port);
      try (Subprocess controller =
          bench.controller().start(place.resolve("controller.log"), options)) {
        http.await("/readyz", controller);
        Endpoint.await(() -> ca(api).length > 0, "the webhook's certificate", controller);
        byte[] ca = ca(api);
        Sample unused = ask(port, ca, WARM_UP_SECONDS);
        Sample millis = ask(port, ca, SECONDS);
        return ImmutableList.of(
            Figure.of("%d reviews a second, p50".formatted(A_SECOND), millis.median(), "ms"),
            Figure.of("%d reviews a second, p99".formatted(A_SECOND), millis.quantile(0.99), "ms")
                .atMost(5),
            Figure.of("most", millis.quantile(1), "ms"),
            Figure.of("controller: most memory", controller.usage().peakMemoryMiB(), "MiB"));
      }
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  private static void install(Api api) {
    api.create(SECRETS, Json.object("metadata", Json.object("namespace", "default", "name", NAME)));
    api.create(
        CONFIGURATIONS,
        Json.parse(
            """
            {"metadata": {"name": "%s"}, "webhooks": [{"name": "a.example.com",
              "clientConfig": {"service": {"name": "%s", "namespace": "default"}}}]}"""
                .formatted(NAME, NAME)));
    api.create(
        Resource.CLASSES,
        Json.object("metadata", Json.object("name", "gpu"), "driverName", SampleNode.DRIVER));
  }

  private static byte[] ca(Api api) {
    return Base64.getDecoder()
        .decode(
            api.get(CONFIGURATIONS, "", NAME)
                .orElseThrow()
                .at("/webhooks/0/clientConfig/caBundle")
                .asText());
  }

  private static Sample ask(int port, byte[] ca, int seconds)
      throws IOException, InterruptedException {
    ExecutorService servers = Executors.newFixedThreadPool(CONNECTIONS);
    try {
      List<Callable<List<Long>>> all = new ArrayList<>();
      long begin = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
      for (int i = 0; i < CONNECTIONS; i++) {
        int first = i;
        all.add(() -> askInTurn(port, ca, begin, first, seconds * A_SECOND));
      }
      Sample sample = new Sample();
      for (Future<List<Long>> one : servers.invokeAll(all)) {
        one.get().forEach(nanos -> sample.add(nanos / 1e6));
      }
      return sample;
    } catch (ExecutionException e) {
      throw new IOException("a review was not answered", e);
    } finally {
      servers.shutdownNow();
    }
  }

  private static List<Long> askInTurn(int port, byte[] ca, long begin, int first, int reviews)
      throws IOException, GeneralSecurityException {
    List<Long> nanos = new ArrayList<>();
    try (ApiServerConnection connection = ApiServerConnection.open(port, ca)) {
      for (int i = first; i < reviews; i += CONNECTIONS) {
        long due = begin + i * TimeUnit.SECONDS.toNanos(1) / A_SECOND;
        String review = review(i);
        for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
          LockSupport.parkNanos(left);
        }
        String answer = connection.ask(review);
        nanos.add(System.nanoTime() - due);
        if (answer.contains("\"allowed\":true") != (i % 4 != 1)) {
          throw new IOException("the webhook answered " + answer);
        }
      }
    }
    return nanos;
  }

  /** Of four reviews two are claims, one is valid and one invalid parameters. */
  private static String review(int number) {
    String condition =
        "device.memory >= quantity('40Gi') && device.index != " + number % CONDITIONS;
    return switch (number % 4) {
      case 0 -> parameters("\"count\": 2, \"cel\": \"%s\"".formatted(condition));
      case 1 -> parameters("\"memory\": \"16\", \"cel\": \"device.memry > 1\"");
      default ->
          review(
              "resource.k8s.io",
              "ResourceClaim",
              "{\"resourceClassName\": \"gpu\", \"allocationMode\": \"WaitForFirstConsumer\"}");
    };
  }

  private static String parameters(String fields) {
    return review(SampleNode.DRIVER, "GpuClaimParameters", "{" + fields + "}");
  }

  private static String review(String group, String kind, String spec) {
    return """
        {"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "request": {
          "uid": "705ab4f5-6393-11e8-b7cc-42010a800002", "operation": "CREATE",
          "kind": {"group": "%s", "version": "v1alpha1", "kind": "%s"},
          "namespace": "default", "name": "a", "userInfo": {"username": "me"},
          "object": {"metadata": {"name": "a", "managedFields": [{"manager": "kubectl",
            "fieldsV1": {"f:metadata": {"f:annotations": {".": {}}}, "f:spec": {".": {}}}}]},
            "spec": %s}}}"""
        .formatted(group, kind, spec);
  }
}
