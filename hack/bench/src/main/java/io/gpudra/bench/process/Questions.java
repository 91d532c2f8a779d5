package io.gpudra.bench.process;

import com.google.common.collect.ImmutableList;
import io.gpudra.bench.figure.Benchmark;
import io.gpudra.bench.figure.Figure;
import io.gpudra.bench.figure.Sample;
import io.gpudra.bench.process.BigCluster.Size;
import io.gpudra.bench.process.BigCluster.Waiting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalDouble;
import java.util.stream.Stream;

/** Somebody asks {@code kubectl gpudra} about a cluster that is full. */
public final class Questions implements Benchmark {
  private static final int TIMES = 3;
  private static final Size HUNDRED = new Size(100, 200);
  private static final String NAMESPACE = "--namespace=team-00";

  /** Exit codes of an answer; the others are complaints about the question. */
  private static final int MOST_OF_AN_ANSWER = 1;

  private final Workbench bench;

  public Questions(Workbench bench) {
    this.bench = bench;
  }

  @Override
  public String name() {
    return "ask";
  }

  @Override
  public ImmutableList<Figure> measure() throws IOException, InterruptedException {
    Path place = bench.place(name());
    return ImmutableList.<Figure>builder()
        .addAll(aboutHundred(place, place.resolve("hundred.kubeconfig")))
        .addAll(aboutMany(place, place.resolve("many.kubeconfig")))
        .build();
  }

  private ImmutableList<Figure> aboutHundred(Path place, Path kubeconfig)
      throws IOException, InterruptedException {
    try (Subprocess server = BigCluster.start(bench, place, kubeconfig, Waiting.PODS, HUNDRED)) {
      server.mustLive();
      Asked unused = ask(place, kubeconfig, "nodes");
      Endpoint.await(() -> archived(place), "the archive of classes", server);
      return figures(place, kubeconfig, OptionalDouble.of(1), "nodes");
    }
  }

  /** The first who asks leaves it for all others. */
  private static boolean archived(Path place) throws IOException {
    try (Stream<Path> left = Files.list(cache(place).resolve("gpudra"))) {
      ImmutableList<String> names =
          left.map(Path::toString).collect(ImmutableList.toImmutableList());
      return names.stream().anyMatch(name -> name.endsWith(".jsa"))
          && names.stream().noneMatch(name -> name.endsWith(".making"));
    }
  }

  private static Path cache(Path place) {
    return place.resolve("cache");
  }

  private ImmutableList<Figure> aboutMany(Path place, Path kubeconfig)
      throws IOException, InterruptedException {
    Path file = Files.writeString(place.resolve("try.yaml"), pod());
    OptionalDouble nothing = OptionalDouble.empty();
    try (Subprocess server = BigCluster.start(bench, place, kubeconfig, Waiting.PODS)) {
      server.mustLive();
      return ImmutableList.<Figure>builder()
          .addAll(figures(place, kubeconfig, nothing, "nodes"))
          .addAll(figures(place, kubeconfig, OptionalDouble.of(15), "explain", "waiting-00000"))
          .addAll(figures(place, kubeconfig, OptionalDouble.of(15), "try", "-f", file.toString()))
          .addAll(figures(place, kubeconfig, nothing, "doctor"))
          .addAll(figures(place, kubeconfig, nothing, "check", "--settle=0s"))
          .build();
    }
  }

  private static String pod() {
    return """
        apiVersion: resource.k8s.io/v1alpha2
        kind: ResourceClaim
        metadata: {name: wanted}
        spec:
          resourceClassName: gpus
          parametersRef:
            apiGroup: gpu.resource.example.com
            kind: GpuClaimParameters
            name: one-big
        ---
        apiVersion: v1
        kind: Pod
        metadata: {name: wants}
        spec:
          containers:
          - {name: main, image: busybox, resources: {claims: [{name: gpu}]}}
          resourceClaims:
          - {name: gpu, source: {resourceClaimName: wanted}}
        """;
  }

  /** How one was answered. */
  private record Asked(double seconds, double memoryMiB) {}

  private ImmutableList<Figure> figures(
      Path place, Path kubeconfig, OptionalDouble budget, String... question)
      throws IOException, InterruptedException {
    Sample seconds = new Sample();
    Sample memory = new Sample();
    for (int i = 0; i < TIMES; i++) {
      Asked asked = ask(place, kubeconfig, question);
      seconds.add(asked.seconds());
      memory.add(asked.memoryMiB());
    }
    String about = kubeconfig.getFileName().toString().replaceFirst("\\..*", "");
    String what = "%s, %s nodes".formatted(question[0], about);
    return ImmutableList.of(
        new Figure(what, seconds.median(), "s", budget),
        Figure.of("· its most memory", memory.quantile(1), "MiB"));
  }

  private Asked ask(Path place, Path kubeconfig, String... question)
      throws IOException, InterruptedException {
    ImmutableList<String> command =
        ImmutableList.<String>builder()
            .add("env", "XDG_CACHE_HOME=" + cache(place).toAbsolutePath())
            .add(bench.root().resolve("controller/target/kubectl-gpudra").toString())
            .add(question)
            .add("--kubeconfig=" + kubeconfig, NAMESPACE)
            .build();
    Path answer = place.resolve(question[0] + ".txt");
    long begin = System.nanoTime();
    try (Subprocess process = Subprocess.start(command, answer)) {
      double memory = process.peakMemoryMiB();
      double seconds = (System.nanoTime() - begin) / 1e9;
      if (process.exitCode() > MOST_OF_AN_ANSWER) {
        throw new IOException("no answer, see " + answer);
      }
      return new Asked(seconds, memory);
    }
  }
}
