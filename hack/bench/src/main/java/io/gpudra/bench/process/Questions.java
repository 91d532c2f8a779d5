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

/** Measures {@code kubectl gpudra} on a full cluster. */
public final class Questions implements Benchmark {
  private static final int TIMES = 3;
  private static final int TIMES_OF_A_SHORT_ONE = 9;
  private static final Size HUNDRED = new Size(100, 200);
  private static final String NAMESPACE = "--namespace=team-00";

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
        .addAll(aboutHundred(new Asker(bench, place, "hundred", TIMES_OF_A_SHORT_ONE)))
        .addAll(aboutMany(new Asker(bench, place, "many", TIMES)))
        .build();
  }

  private ImmutableList<Figure> aboutHundred(Asker asker) throws IOException, InterruptedException {
    try (Subprocess server = asker.start(HUNDRED)) {
      CommandCost unused = asker.ask("nodes");
      Endpoint.await(() -> CommandCost.isArchived(asker.cache()), "the archive of classes", server);
      return asker.figures(OptionalDouble.of(1), "nodes");
    }
  }

  private ImmutableList<Figure> aboutMany(Asker asker) throws IOException, InterruptedException {
    Path file = Files.writeString(asker.place().resolve("try.yaml"), pod());
    OptionalDouble nothing = OptionalDouble.empty();
    OptionalDouble most = OptionalDouble.of(15);
    try (Subprocess server = asker.start(Size.BIG)) {
      server.mustLive();
      return ImmutableList.<Figure>builder()
          .addAll(asker.figures(nothing, "nodes"))
          .addAll(asker.figures(most, "explain", "waiting-00000"))
          .addAll(asker.figures(most, "try", "-f", file.toString()))
          .addAll(asker.figures(nothing, "doctor"))
          .addAll(asker.figures(nothing, "check", "--settle=0s"))
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

  /**
   * Runs the commands.
   *
   * @param place for output files
   * @param about size of the cluster, in a word
   * @param times number of runs of each command
   */
  private record Asker(Workbench bench, Path place, String about, int times) {

    Subprocess start(Size size) throws IOException, InterruptedException {
      return BigCluster.start(bench, place, kubeconfig(), Waiting.PODS, size);
    }

    private Path kubeconfig() {
      return place.resolve(about + ".kubeconfig");
    }

    private Path cache() {
      return place.resolve("cache");
    }

    ImmutableList<Figure> figures(OptionalDouble budget, String... question)
        throws IOException, InterruptedException {
      Sample seconds = new Sample();
      Sample memory = new Sample();
      for (int i = 0; i < times; i++) {
        CommandCost asked = ask(question);
        seconds.add(asked.seconds());
        memory.add(asked.memoryMiB());
      }
      String what = "%s, %s nodes".formatted(question[0], about);
      return ImmutableList.of(
          new Figure(what, seconds.median(), "s", budget),
          Figure.of("· its most memory", memory.quantile(1), "MiB"));
    }

    CommandCost ask(String... question) throws IOException, InterruptedException {
      ImmutableList<String> arguments =
          ImmutableList.<String>builder()
              .add(question)
              .add("--kubeconfig=" + kubeconfig(), NAMESPACE)
              .build();
      return CommandCost.of(bench, cache(), arguments, place.resolve(question[0] + ".txt"));
    }
  }
}
