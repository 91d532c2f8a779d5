package io.gpudra.kubeletplugin.app;

import io.gpudra.kubeletplugin.prepare.ClaimPreparer;
import io.gpudra.kubeletplugin.prepare.call.PrepareRefusal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directories that the plugin writes to. They may fill up, become read-only or be removed while
 * it serves. Then new pods must go to other nodes until the directories are repaired.
 */
final class WritableDirectories {

  private static final Logger log = LoggerFactory.getLogger(WritableDirectories.class);

  private final StateDirectory state;
  private final Path cdiRoot;
  private final CdiMount mount;
  private final WriteProbe cdiProbe;
  private final ClaimPreparer preparer;
  private final Listener listener;
  private Optional<String> stateProblem = Optional.empty();
  private Optional<String> cdiProblem = Optional.empty();

  /** Receives the problem of either directory; empty when there is none. */
  interface Listener {
    void found(Optional<String> stateProblem, Optional<String> cdiProblem);
  }

  /**
   * @param driverName distinguishes our files from those of other drivers
   * @param listener called at each probe
   */
  WritableDirectories(
      StateDirectory state,
      CdiMount mount,
      String driverName,
      ClaimPreparer preparer,
      Listener listener) {
    this.state = state;
    this.cdiRoot = mount.directory();
    this.mount = mount;
    this.cdiProbe = new WriteProbe(cdiRoot.resolve("." + driverName + ".probe"));
    this.preparer = preparer;
    this.listener = listener;
  }

  /** Writes a little to both directories, restores missing files and reports problems. */
  void probe() {
    stateProblem = logChange(stateProblem, state());
    cdiProblem = logChange(cdiProblem, cdi());
    listener.found(stateProblem, cdiProblem);
  }

  private Optional<String> state() {
    return state.problem().or(() -> preparer.restoreCheckpoint().map(PrepareRefusal::text));
  }

  private Optional<String> cdi() {
    return makeCdiRoot()
        .or(mount::problem)
        .or(cdiProbe::problem)
        .or(() -> preparer.restoreSpecs().values().stream().findFirst().map(PrepareRefusal::text));
  }

  /** Creates the directory again, unless it is a mount, and restores its files. */
  private Optional<String> makeCdiRoot() {
    try {
      Files.createDirectories(cdiRoot);
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of("directory %s cannot be made: %s".formatted(cdiRoot, e));
    }
  }

  private static Optional<String> logChange(Optional<String> before, Optional<String> now) {
    if (before.isEmpty() && now.isPresent()) {
      log.error("node accepts no new pods with GPU claims reason=\"{}\"", now.get());
    } else if (before.isPresent() && now.isEmpty()) {
      log.info("directory problem solved reason=\"{}\"", before.get());
    }
    return now;
  }
}
