package io.gpudra.kubeletplugin.device.mps;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.kubeletplugin.testing.FakeNode;
import io.gpudra.kubeletplugin.testing.Faults;
import io.gpudra.stubdriver.StubDriver;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;

/** Servers of a driver, as processes that start them and die meanwhile leave them. */
public record FaultyMps(Path directory, StubDriver driver) implements FakeNode.Servers {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @Override
  public MpsServers of(Faults faults) {
    NvidiaMpsControl control =
        new NvidiaMpsControl(
            driver.root(), Path.of("/usr/bin", StubDriver.MPS_CONTROL), Optional.empty());
    return new MpsProcesses(directory, new Control(control, faults), PATIENCE);
  }

  /** Directories, each with how many processes and mounts it has. */
  @Override
  public ImmutableList<String> traces() throws IOException {
    ImmutableList<String> mounts =
        ImmutableList.copyOf(Files.readAllLines(Path.of("/proc/mounts")));
    return directories().stream()
        .map(one -> one.getFileName() + " " + processes(one).size() + " " + mounts(one, mounts))
        .collect(toImmutableList());
  }

  private static ImmutableList<ProcessHandle> processes(Path one) {
    return new ProcessTree(one).all();
  }

  private static long mounts(Path one, ImmutableList<String> mounts) {
    return mounts.stream().filter(line -> line.contains(" " + one + "/")).count();
  }

  private ImmutableList<Path> directories() throws IOException {
    if (Files.notExists(directory)) {
      return ImmutableList.of();
    }
    try (Stream<Path> all = Files.list(directory)) {
      return all.sorted().collect(toImmutableList());
    }
  }

  @Override
  public void kill() {
    try {
      for (Path one : directories()) {
        for (ProcessHandle process : processes(one)) {
          process.destroyForcibly();
          process.onExit().join();
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** With a point to die at before and after each thing that it does. */
  record Control(MpsControl control, Faults faults) implements MpsControl {
    @Override
    public ImmutableList<String> server() {
      return control.server();
    }

    @Override
    public ImmutableMap<String, String> environment(MpsPaths paths) {
      return control.environment(paths);
    }

    @Override
    public void makeRoom(MpsPaths paths) throws IOException {
      faults.around("makeRoom", () -> control.makeRoom(paths));
    }

    @Override
    public Process start(ProcessBuilder server, MpsPaths paths) throws IOException {
      Process process = control.start(server, paths);
      faults.point();
      return process;
    }

    @Override
    public void cleanUp(MpsPaths paths) throws IOException {
      faults.around("cleanUp", () -> control.cleanUp(paths));
    }

    @Override
    public String ask(MpsPaths paths, String command, Duration patience) throws IOException {
      String answer = control.ask(paths, command, patience);
      faults.point();
      return answer;
    }
  }
}
