package io.gpudra.bench.process;

import com.google.common.collect.ImmutableList;
import io.gpudra.bench.figure.Benchmark;
import io.gpudra.bench.figure.Figure;
import io.gpudra.bench.figure.Sample;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Measures {@code kubectl gpudra convert} and {@code migrate} on a directory. */
public final class Translations implements Benchmark {
  private static final int FILES = 1_000;
  private static final int TIMES = 3;
  private static final double SECONDS = 5;
  private static final double MEMORY_MIB = 256;
  private static final double FIRST_SECONDS = 1.2;

  private static final String CLASSIC =
      """
      # The claims of team %1$d.
      apiVersion: gpu.resource.example.com/v1alpha1
      kind: GpuClaimParameters
      metadata: {name: gpus-%1$d, namespace: team-a}
      spec:
        count: 2
        memory: 40Gi
        cel: device.driverVersion >= version('535.104') && device.productName != 'T%1$d'
      ---
      apiVersion: resource.k8s.io/v1alpha2
      kind: ResourceClaimTemplate
      metadata: {name: gpus-%1$d, namespace: team-a}
      spec:
        spec:
          resourceClassName: gpu.example.com
          parametersRef:
            apiGroup: gpu.resource.example.com
            kind: GpuClaimParameters
            name: gpus-%1$d
      ---
      apiVersion: v1
      kind: Pod
      metadata: {name: pod-%1$d, namespace: team-a}
      spec:
        containers:
        - {name: main, image: busybox, resources: {claims: [{name: gpus}]}}
        resourceClaims:
        - {name: gpus, source: {resourceClaimTemplateName: gpus-%1$d}}
      """;

  private static final String LATER =
      """
      # The claims of team %1$d.
      apiVersion: resource.k8s.io/v1
      kind: ResourceClaimTemplate
      metadata: {name: gpus-%1$d, namespace: team-a}
      spec:
        spec:
          devices:
            requests:
            - name: gpus
              exactly:
                deviceClassName: gpu.nvidia.com
                count: 2
                selectors:
                - cel:
                    expression: device.attributes["gpu.nvidia.com"].productName != "T%1$d"
      ---
      apiVersion: v1
      kind: Pod
      metadata: {name: pod-%1$d, namespace: team-a}
      spec:
        containers:
        - {name: main, image: busybox, resources: {claims: [{name: gpus}]}}
        resourceClaims:
        - {name: gpus, resourceClaimTemplateName: gpus-%1$d}
      """;

  private final Workbench bench;

  public Translations(Workbench bench) {
    this.bench = bench;
  }

  @Override
  public String name() {
    return "translate";
  }

  @Override
  public ImmutableList<Figure> measure() throws IOException, InterruptedException {
    Path place = Files.createTempDirectory(bench.place(name()), "run");
    Path cache = Files.createDirectory(place.resolve("cache"));
    Path one = manifests(place.resolve("one"), LATER, 1);
    double first = translate(cache, "convert", one).seconds();
    Endpoint.await(() -> CommandCost.isArchived(cache), "the archive of classes");
    return ImmutableList.<Figure>builder()
        .addAll(figures(cache, "migrate", manifests(place.resolve("classic"), CLASSIC, FILES)))
        .addAll(figures(cache, "convert", manifests(place.resolve("later"), LATER, FILES)))
        .add(Figure.of("convert, first run", first, "s").atMost(FIRST_SECONDS))
        .build();
  }

  private static Path manifests(Path directory, String text, int files) throws IOException {
    Files.createDirectory(directory);
    for (int i = 0; i < files; i++) {
      Files.writeString(directory.resolve("team-" + i + ".yaml"), text.formatted(i));
    }
    return directory;
  }

  private ImmutableList<Figure> figures(Path cache, String command, Path from)
      throws IOException, InterruptedException {
    Sample seconds = new Sample();
    Sample memory = new Sample();
    for (int i = 0; i < TIMES; i++) {
      CommandCost cost = translate(cache, command, from);
      seconds.add(cost.seconds());
      memory.add(cost.memoryMiB());
    }
    return ImmutableList.of(
        Figure.of(command + ", 1,000 files", seconds.median(), "s").atMost(SECONDS),
        Figure.of("· its most memory", memory.quantile(1), "MiB").atMost(MEMORY_MIB));
  }

  private CommandCost translate(Path cache, String command, Path from)
      throws IOException, InterruptedException {
    Path to = Files.createTempDirectory(from.getParent(), command);
    ImmutableList<String> arguments =
        ImmutableList.of(command, "-f", from.toString(), "-o", to.toString());
    return CommandCost.of(bench, cache, arguments, from.resolveSibling(command + ".txt"));
  }
}
