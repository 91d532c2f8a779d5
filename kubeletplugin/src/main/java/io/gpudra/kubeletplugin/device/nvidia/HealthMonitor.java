package io.gpudra.kubeletplugin.device.nvidia;

import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.base.CharMatcher;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Lists;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.text.ListText;
import io.gpudra.kubeletplugin.device.nvidia.GpuHealth.Condition;
import io.gpudra.kubeletplugin.device.nvml.NvmlException;
import io.gpudra.kubeletplugin.device.nvml.NvmlGpu;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Examines GPUs periodically: whether they answer, are cool and connected, and whether processes
 * outside claims use them. Confined to the thread that polls, except {@link #usedByOthers}.
 */
final class HealthMonitor {

  private static final Logger log = LoggerFactory.getLogger(HealthMonitor.class);

  private static final int MAX_NAMED = 3;
  private static final long FIRST_PROCESS = 1;
  static final Optional<String> NO_ANSWER = Optional.of("GPU does not answer");

  private final NvmlSession session;
  private final GpuEvents events;
  private final GpuHealth health;
  private final Path proc;
  private final long pid;
  private volatile Optional<String> othersHow = Optional.empty();
  private volatile Optional<String> lastReported = Optional.empty();

  /** GPUs that answered this process: one that an earlier process had lost was reset in between. */
  private final Set<String> answered = new HashSet<>();

  /** GPUs that processes outside claims used at the last poll. */
  private ImmutableSet<String> suspected = ImmutableSet.of();

  /**
   * Nothing is polled yet.
   *
   * @param events have a session, too, which must end before another begins
   * @param proc {@code /proc}, with the names of processes
   * @param pid of this process, in its own namespace
   */
  HealthMonitor(NvmlSession session, GpuEvents events, GpuHealth health, Path proc, long pid) {
    this.session = session;
    this.events = events;
    this.health = health;
    this.proc = proc;
    this.pid = pid;
  }

  /**
   * A report that a device plugin hands out all GPUs counts at once. A report that none does counts
   * when it is repeated: a restarting device plugin or kubelet offers nothing for a moment.
   */
  void usedByOthers(Optional<String> how) {
    othersHow = how.or(() -> lastReported);
    lastReported = how;
    if (how.isPresent()) {
      session
          .found()
          .gpus()
          .keySet()
          .forEach(gpu -> health.record(gpu, Condition.FOREIGN_USE, how));
    }
  }

  /** Examines the GPUs, but not the processes on those that claims hold. */
  void poll(Set<String> held) {
    try {
      NvmlSession.Scan scan = poll();
      scan.reset().forEach(health::reset);
      scan.answering().stream().filter(answered::add).filter(health::isLost).forEach(health::reset);
      scan.lost().forEach(health::lost);
      for (String uuid : session.found().gpus().keySet()) {
        boolean answers = scan.answering().contains(uuid);
        health.record(uuid, Condition.LOST, answers ? Optional.empty() : NO_ANSWER);
      }
      findForeignUsers(scan.answering(), held);
      scan.answering().forEach(this::examine);
    } catch (IOException e) {
      Optional<String> why = Optional.of(String.valueOf(e.getMessage()));
      session.found().gpus().keySet().forEach(uuid -> health.record(uuid, Condition.LOST, why));
    }
  }

  private NvmlSession.Scan poll() throws IOException {
    NvmlSession.Scan scan = session.scan();
    if (scan.stale()) {
      events.silently(session::beginAnew);
      return session.scan();
    }
    return scan;
  }

  private NvmlGpu handle(String uuid) {
    return Objects.requireNonNull(session.found().gpus().get(uuid)).handle();
  }

  private void examine(String uuid) {
    try {
      NvmlGpu gpu = handle(uuid);
      health.record(
          uuid,
          Condition.THERMAL,
          gpu.overheated() ? Optional.of("slowed down by its temperature") : Optional.empty());
      health.record(uuid, Condition.FABRIC, fabric(uuid, gpu));
    } catch (NvmlException e) {
      log.debug("cannot examine GPU gpu={} reason=\"{}\"", uuid, e.getMessage());
    }
  }

  /** A GPU in MIG mode uses no NVLink, and the driver does not update its fabric's state. */
  private Optional<String> fabric(String uuid, NvmlGpu gpu) throws NvmlException {
    boolean matters = session.gpu(uuid).mig().mode() != MigMode.ENABLED;
    return matters && !gpu.joinsItsFabric()
        ? Optional.of("NVLink fabric is not ready")
        : Optional.empty();
  }

  /** A process seen twice was neither about to end nor left over from a claim that just ended. */
  private void findForeignUsers(ImmutableSet<String> uuids, Set<String> held) {
    ImmutableSet<String> before = suspected;
    suspected =
        uuids.stream()
            .filter(uuid -> !held.contains(uuid) && use(uuid).isPresent())
            .collect(toImmutableSet());
    for (String uuid : uuids) {
      Optional<String> strangers =
          Optional.of(uuid)
              .filter(gpu -> suspected.contains(gpu) && before.contains(gpu))
              .flatMap(this::use);
      health.record(uuid, Condition.FOREIGN_USE, othersHow.or(() -> strangers));
    }
  }

  /**
   * Whether the driver reports that no process uses the GPU. It does not report processes that the
   * plugin cannot see, because the plugin has a PID namespace of its own.
   */
  boolean idle(String uuid) {
    try {
      return pid != FIRST_PROCESS
          && session.found().gpus().containsKey(uuid)
          && handle(uuid).idle();
    } catch (NvmlException e) {
      log.debug("cannot read the use of a GPU gpu={} reason=\"{}\"", uuid, e.getMessage());
      return false;
    }
  }

  /** The use of a GPU that no claim holds. */
  private Optional<String> use(String uuid) {
    try {
      NvmlGpu gpu = handle(uuid);
      ImmutableList<Integer> processes = gpu.processes();
      return processes.isEmpty()
          ? gpu.computeMode()
              .filter(mode -> mode != NvmlCatalogue.ANY_PROCESS)
              .map(HealthMonitor::setBySomebody)
          : Optional.of(
              "used by %s, of no claim"
                  .formatted(ListText.of(Lists.transform(processes, this::named), MAX_NAMED)));
    } catch (NvmlException e) {
      log.debug("cannot read the use of a GPU gpu={} reason=\"{}\"", uuid, e.getMessage());
      return Optional.empty();
    }
  }

  private static String setBySomebody(int mode) {
    return "compute mode %s, of no claim: nvidia-smi --compute-mode=DEFAULT"
        .formatted(NvmlCatalogue.computeMode(mode));
  }

  private String named(int process) {
    try {
      String name = Files.readString(proc.resolve(process + "/comm"));
      String harmless = CharMatcher.inRange('!', '~').retainFrom(name);
      return "process %d (%s)".formatted(process, harmless);
    } catch (IOException e) {
      return "process " + process;
    }
  }
}
