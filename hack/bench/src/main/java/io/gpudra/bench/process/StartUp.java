package io.gpudra.bench.process;

import com.google.common.collect.ImmutableList;
import io.gpudra.bench.figure.Benchmark;
import io.gpudra.bench.figure.Figure;
import io.gpudra.bench.figure.Sample;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Measures the start of the binaries, and their idle memory. */
public final class StartUp implements Benchmark {
  private static final int ROUNDS = 3;
  private static final Duration SETTLED = Duration.ofSeconds(5);

  private final Workbench bench;

  public StartUp(Workbench bench) {
    this.bench = bench;
  }

  @Override
  public String name() {
    return "start";
  }

  @Override
  public ImmutableList<Figure> measure() throws IOException, InterruptedException {
    Path place = bench.place(name());
    Start controller = new Start("controller", place.resolve("controller.log"));
    Start plugin = new Start("plugin", place.resolve("plugin.log"));
    try (SmallCluster cluster = SmallCluster.start(bench.root(), place.resolve("node"))) {
      for (int i = 0; i < ROUNDS; i++) {
        Endpoint http = Endpoint.free();
        controller.once(bench.controller(), cluster.controller(http), http);
        plugin.once(bench.plugin(), cluster.plugin(http), http);
      }
    }
    return ImmutableList.<Figure>builder()
        .addAll(controller.figures())
        .addAll(plugin.figures())
        .build();
  }

  /** Starts of one binary. */
  private static final class Start {
    private final String name;
    private final Path log;
    private final Sample seconds = new Sample();
    private final Sample processor = new Sample();
    private final Sample memory = new Sample();

    Start(String name, Path log) {
      this.name = name;
      this.log = log;
    }

    /** Without a kubelet, only the liveness of the plugin can be measured. */
    void once(Binary binary, List<String> arguments, Endpoint http)
        throws IOException, InterruptedException {
      long begin = System.nanoTime();
      try (Subprocess process = binary.start(log, arguments)) {
        http.await(name.equals("plugin") ? "/healthz" : "/readyz", process);
        seconds.add((System.nanoTime() - begin) / 1e9);
        processor.add(process.usage().cpuSeconds());
        Thread.sleep(SETTLED.toMillis());
        memory.add(process.usage().memoryMiB());
      }
    }

    ImmutableList<Figure> figures() {
      return ImmutableList.of(
          Figure.of(name + ": ready after", seconds.median(), "s"),
          Figure.of(name + ": processor time until then", processor.median(), "s"),
          Figure.of(name + ": memory, idle", memory.median(), "MiB"));
    }
  }
}
