package io.gpudra.bench.process;

import com.google.common.collect.ImmutableList;
import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import io.gpudra.bench.figure.Benchmark;
import io.gpudra.bench.figure.Figure;
import io.gpudra.bench.figure.Sample;
import io.gpudra.bench.process.NvidiaDriver.Board;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.SharingStrategy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Measures a plugin with NVIDIA's driver on emulated GPUs: its start, preparing each of 8 × 7 MIG
 * devices, and the time of its writes alone in the same directory.
 */
public final class Nvidia implements Benchmark {
  private static final int STARTS = 3;
  private static final int WARM_UP = 6;
  private static final int MEASURED = 12;
  private static final Duration SETTLED = Duration.ofSeconds(5);
  private static final int SLICES = 7;

  /** Before, when MIG devices are made, and after. */
  private static final int CHECKPOINTS = 3;

  /** Of half of the claims. */
  private static final int CHECKPOINT_BYTES = 16 << 10;

  private final Workbench bench;
  private final NvidiaDriver driver;
  private final Sample ready = new Sample();
  private final Sample prepare = new Sample();
  private final Sample unprepare = new Sample();
  private final Sample writes = new Sample();
  private final Sample inLibrary = new Sample();
  private double idle;
  private double most;
  private double ofLibrary;

  private Nvidia(Workbench bench, NvidiaDriver driver) {
    this.bench = bench;
    this.driver = driver;
  }

  /** With each driver. */
  public static ImmutableList<Benchmark> all(Workbench bench) {
    return Stream.of(NvidiaDriver.values())
        .map(driver -> new Nvidia(bench, driver))
        .collect(ImmutableList.toImmutableList());
  }

  @Override
  public String name() {
    return driver.benchmark();
  }

  @Override
  public ImmutableList<Figure> measure() throws IOException, InterruptedException {
    Path place = bench.place(name());
    Path root = empty(place.resolve("driver"));
    Optional<Board> board = driver.make(root, bench.root());
    return board.isEmpty() ? ImmutableList.of() : measure(place, root, board.get());
  }

  private ImmutableList<Figure> measure(Path place, Path root, Board board)
      throws IOException, InterruptedException {
    try (SmallCluster cluster = SmallCluster.start(bench.root(), place.resolve("node"))) {
      for (int i = 1; i < STARTS; i++) {
        start(cluster, root, board).close();
      }
      try (Subprocess plugin = start(cluster, root, board);
          Kubelet kubelet = new Kubelet(cluster.socket())) {
        Thread.sleep(SETTLED.toMillis());
        idle = plugin.usage().memoryMiB();
        for (int round = 0; round < WARM_UP + MEASURED; round++) {
          cutAll(kubelet, board, cluster.state(), round);
        }
        most = plugin.usage().peakMemoryMiB();
      }
    }
    return figures();
  }

  private static Path empty(Path root) throws IOException {
    if (Files.exists(root)) {
      MoreFiles.deleteRecursively(root, RecursiveDeleteOption.ALLOW_INSECURE);
    }
    return root;
  }

  private Subprocess start(SmallCluster cluster, Path root, Board board)
      throws IOException, InterruptedException {
    Endpoint http = Endpoint.free();
    long begin = System.nanoTime();
    Subprocess plugin =
        Subprocess.start(
            ImmutableList.<String>builder()
                .addAll(board.prefix())
                .addAll(
                    bench
                        .plugin()
                        .command(cluster.plugin(http, "--devices=nvidia", "--node-root=" + root)))
                .build(),
            bench.place(name()).resolve("plugin.log"));
    http.await("/healthz", plugin);
    Endpoint.await(() -> Files.exists(cluster.socket()), "the plugin's socket", plugin);
    ready.add((System.nanoTime() - begin) / 1e9);
    return plugin;
  }

  /** The first of a GPU in the first round switches its mode, too. */
  private void cutAll(Kubelet kubelet, Board board, Path state, int round) throws IOException {
    ImmutableList<Grant> grants =
        IntStream.range(0, board.uuids().size())
            .boxed()
            .flatMap(
                gpu ->
                    IntStream.range(0, SLICES)
                        .mapToObj(at -> grant(gpu, board.uuids().get(gpu), at, round)))
            .collect(ImmutableList.toImmutableList());
    Sample ignored = new Sample();
    for (Grant grant : grants) {
      double before = millisIn(board);
      long begin = System.nanoTime();
      kubelet.prepare(grant);
      (round < WARM_UP ? ignored : prepare).addMillisSince(begin);
      (round < WARM_UP ? ignored : inLibrary).add(millisIn(board) - before);
      begin = System.nanoTime();
      DiskWork.ofPrepare(state, CHECKPOINTS, CHECKPOINT_BYTES);
      (round < WARM_UP ? ignored : writes).addMillisSince(begin);
    }
    if (round == 0 && board.alone().isPresent()) {
      ofLibrary = board.alone().get().mebibytes();
    }
    for (Grant grant : grants) {
      long begin = System.nanoTime();
      kubelet.unprepare(grant);
      (round < WARM_UP ? ignored : unprepare).addMillisSince(begin);
    }
  }

  private static double millisIn(Board board) throws IOException {
    return board.alone().isPresent() ? board.alone().get().millis() : 0;
  }

  private static Grant grant(int gpu, String uuid, int at, int round) {
    Slice slice = new Slice("1g.10gb", at, 1, 1, Optional.empty());
    GrantedPart part =
        new GrantedPart(
            uuid,
            slice,
            SharingStrategy.NONE,
            100,
            /* existing= */ false,
            Optional.empty(),
            Optional.empty());
    String name = slice.nameOn("gpu-" + gpu);
    return new Grant(
        new ClaimUid("gpu-%d-%d-%d".formatted(gpu, at, round)),
        SmallCluster.NODE,
        1,
        OptionalLong.empty(),
        Instant.EPOCH,
        ImmutableList.of(new GrantedDevice(name, part, /* parent= */ false)));
  }

  private ImmutableList<Figure> figures() {
    return ImmutableList.<Figure>builder()
        .add(Figure.of("plugin: ready after", ready.median(), "s").atMost(2))
        .add(Figure.of("plugin: memory, idle", idle, "MiB"))
        .add(Figure.of("prepare of a MIG device, p50", prepare.median(), "ms"))
        .add(Figure.of("· of which the disk's time, p50", writes.median(), "ms"))
        .addAll(times())
        .add(Figure.of("prepare of a MIG device, p99", prepare.quantile(0.99), "ms"))
        .add(Figure.of("unprepare of a MIG device, p50", unprepare.median(), "ms"))
        .addAll(memory())
        .build();
  }

  private ImmutableList<Figure> times() {
    double ours = prepare.beside(writes, inLibrary).median();
    return ofLibrary == 0
        ? ImmutableList.of(Figure.of("· beside it", ours, "ms").atMost(5))
        : ImmutableList.of(
            Figure.of("· of which the library's and the kernel's, p50", inLibrary.median(), "ms"),
            Figure.of("· beside both", ours, "ms").atMost(5));
  }

  private ImmutableList<Figure> memory() {
    ImmutableList<Figure> all =
        ImmutableList.of(Figure.of("plugin: most memory", most, "MiB").atMost(128));
    return ofLibrary == 0
        ? all
        : ImmutableList.<Figure>builder()
            .addAll(all)
            .add(Figure.of("· of which the library's, with 56 MIG devices", ofLibrary, "MiB"))
            .add(Figure.of("· beside it", most - ofLibrary, "MiB").atMost(128))
            .build();
  }
}
