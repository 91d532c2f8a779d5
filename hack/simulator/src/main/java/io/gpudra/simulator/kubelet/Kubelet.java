package io.gpudra.simulator.kubelet;

import io.gpudra.simulator.actor.ActorThread;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * A node and its kubelet, which can be stopped and started again while containers run on. The node
 * keeps containers and the checkpoint of prepared claims; the kubelet loses the rest.
 */
public final class Kubelet implements AutoCloseable {
  /** One life of the kubelet. */
  private record Life(PodWorkers workers, List<AutoCloseable> parts) {}

  private final NodeConfig config;
  private final Surroundings around;
  private final ClaimCache cache = new ClaimCache();
  private final ContainerRuntime runtime;
  private final NodeObject object;
  private final Optional<DraPlugin.Finder> stepped;
  private @Nullable Life life;

  private Kubelet(Surroundings around, NodeConfig config, Optional<DraPlugin.Finder> stepped) {
    this.config = config;
    this.around = around;
    this.runtime = new ContainerRuntime(config.name(), config.cdiRoots());
    this.object = new NodeObject(around.api(), around.clock(), config.name());
    this.stepped = stepped;
  }

  /** A kubelet on threads of its own that dials the plugins registered below its directory. */
  public static Kubelet start(Surroundings around, NodeConfig config) {
    Kubelet kubelet = new Kubelet(around, config, Optional.empty());
    kubelet.start();
    return kubelet;
  }

  /** A kubelet that works only in {@link #step()} and finds its plugins in process. */
  public static Kubelet stepped(Surroundings around, NodeConfig config, DraPlugin.Finder plugins) {
    Kubelet kubelet = new Kubelet(around, config, Optional.of(plugins));
    kubelet.start();
    return kubelet;
  }

  /** Starts a stopped kubelet; its node becomes ready. A running one is left alone. */
  public synchronized void start() {
    if (life != null) {
      return;
    }
    cache.restore(config.kubelet());
    object.ensure(config.labels(), config.kubelet());
    life = stepped.map(this::steppedLife).orElseGet(this::threadedLife);
  }

  private Life steppedLife(DraPlugin.Finder plugins) {
    PodWorkers workers = new PodWorkers(node(plugins), around, Runnable::run);
    return new Life(workers, List.of(workers));
  }

  private PodWorkers.Node node(DraPlugin.Finder plugins) {
    ClaimPreparation claims =
        new ClaimPreparation(around.api(), around.profile(), config.kubelet(), cache, plugins);
    return new PodWorkers.Node(config.name(), runtime, claims);
  }

  private Life threadedLife() {
    String name = "kubelet-" + config.name();
    Registrations registrations =
        new Registrations(config.kubeletDir(), around.timings(), config.kubelet(), around.clock());
    ExecutorService executor = Executors.newCachedThreadPool(ActorThread.daemons(name + "-pod"));
    PodWorkers workers = new PodWorkers(node(registrations), around, executor);
    ActorThread podThread = ActorThread.start(name, workers);
    ActorThread pluginThread = ActorThread.start(name + "-plugins", registrations);
    return new Life(workers, List.of(podThread, pluginThread, executor::shutdownNow));
  }

  /**
   * Stops the kubelet as a kill does: calls to plugins are cut, containers run on, the node object
   * stays as it is.
   */
  public synchronized void stop() {
    if (life != null) {
      Life ended = life;
      life = null;
      ended.parts().forEach(ActorThread::closeQuietly);
    }
  }

  /** As {@link #stop}, and the containers end: what a power cut does. */
  public synchronized void powerOff() {
    stop();
    runtime.keepOnly(Set.of());
  }

  public void restart() {
    stop();
    start();
  }

  /**
   * Sets the Ready condition of the node: false is what a node controller writes of a dead node.
   */
  public void ready(boolean ready) {
    object.ready(ready);
  }

  /**
   * Lets the containers of a pod exit with code 0, which ends the pod.
   *
   * @return false when no container of it runs here, or the kubelet is stopped
   */
  public synchronized boolean finish(String podUid) {
    return life != null && life.workers().finish(podUid);
  }

  /** The containers of pods that still exist, in the order they started. */
  public List<RunningContainer> containers() {
    return runtime.containers();
  }

  /** Works on one pod that is due; of use for a stepped kubelet only. */
  public synchronized boolean step() {
    return life != null && life.workers().step();
  }

  /** When the next pod is due. */
  public synchronized Optional<Instant> nextDue() {
    return life == null ? Optional.empty() : life.workers().nextDue();
  }

  @Override
  public void close() {
    stop();
  }
}
