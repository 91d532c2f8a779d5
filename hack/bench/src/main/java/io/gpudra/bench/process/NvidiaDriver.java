package io.gpudra.bench.process;

import com.google.common.collect.ImmutableList;
import io.gpudra.bench.sample.ProfileNode;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.nvidia.EmulatedGpu;
import io.gpudra.nvidia.EmulatedKernel;
import io.gpudra.nvidia.NvidiaPackages;
import io.gpudra.nvidia.NvidiaPackages.Answer.Found;
import io.gpudra.stubdriver.StubDriver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** An emulated driver of 8 × H100. */
enum NvidiaDriver {
  /** The stub of NVIDIA's library, which answers in microseconds. */
  STUB("nvidia") {
    @Override
    Optional<Board> make(Path root, Path repository) throws IOException {
      Inventory like = new ProfileNode(SmallCluster.NODE, "h100").inventory();
      StubDriver.of(root, StubDriver.NEWEST, like.gpus(), like.links());
      return Optional.of(
          new Board(
              like.gpus().stream().map(Gpu::uuid).collect(ImmutableList.toImmutableList()),
              ImmutableList.of(),
              Optional.empty()));
    }
  },

  /** NVIDIA's own library, on an emulated kernel. */
  LIBRARY("nvidia-library") {
    @Override
    Optional<Board> make(Path root, Path repository) throws IOException {
      Path object = repository.resolve("hack/nvidia/target/nvemu.so").toAbsolutePath();
      NvidiaPackages.Answer answer =
          NvidiaPackages.of(repository.resolve("hack/nvidia/fetch"), "libnvidia-ml-550");
      if (!(answer instanceof Found found) || Files.notExists(object)) {
        System.err.println("no figures: " + answer + ", " + object);
        return Optional.empty();
      }
      ImmutableList<EmulatedGpu> gpus = EmulatedGpu.several(EmulatedGpu.H100, GPUS);
      Path library = found.file("libnvidia-ml.so.");
      EmulatedKernel.of(object, root, library, gpus).close();
      return Optional.of(board(gpus, object, root, library));
    }

    private Board board(ImmutableList<EmulatedGpu> gpus, Path object, Path root, Path library) {
      Path times = root.resolve("nvemu.times");
      ImmutableList<String> preloads =
          ImmutableList.of(
              "env",
              "LD_PRELOAD=%s:%s".formatted(object, object.resolveSibling("times.so")),
              "NVEMU_ROOT=" + root,
              "NVEMU_TIMES=" + times);
      ImmutableList<String> memory =
          ImmutableList.of(
              "env",
              "LD_PRELOAD=" + object,
              "NVEMU_ROOT=" + root,
              object.resolveSibling("memory").toString(),
              library.toString());
      return new Board(
          gpus.stream().map(EmulatedGpu::uuid).collect(ImmutableList.toImmutableList()),
          preloads,
          Optional.of(new LibraryAlone(times, memory)));
    }
  };

  private static final int GPUS = 8;

  private final String benchmark;

  NvidiaDriver(String benchmark) {
    this.benchmark = benchmark;
  }

  /** Name of the benchmark. */
  String benchmark() {
    return benchmark;
  }

  /**
   * The emulated node.
   *
   * @param uuids of its GPUs
   * @param prefix of the command line of a process that uses it
   * @param alone time and memory of the library in that process; empty if negligible
   */
  record Board(
      ImmutableList<String> uuids, ImmutableList<String> prefix, Optional<LibraryAlone> alone) {}

  /**
   * Creates it; empty if this machine cannot run it.
   *
   * @param root an empty directory
   * @throws IOException when a file cannot be written
   */
  abstract Optional<Board> make(Path root, Path repository) throws IOException;
}
