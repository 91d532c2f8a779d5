package io.gpudra.simulator.kubelet;

import io.gpudra.simulator.actor.ActorThread;
import io.gpudra.simulator.api.Api;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
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
  private final NodeParts node;
  private final NodeObject object;
  private final Optional<Plugins> stepped;
  private @Nullable Life life;

  private Kubelet(NodeConfig config, NodeParts node, Optional<Plugins> stepped) {
    this.config = config;
    this.node = node;
    this.object = new NodeObject(node.api(), node.clock(), config.name());
    this.stepped = stepped;
  }

  /** A kubelet on threads of its own that dials the plugins registered below its directory. */
  public static Kubelet start(Api api, NodeConfig config, KubeletSettings settings, Random random) {
    InstantSource clock = InstantSource.system();
    Kubelet kubelet =
        new Kubelet(config, parts(api, config, settings, clock, random), Optional.empty());
    kubelet.start();
    return kubelet;
  }

  /** A kubelet that works only in {@link #step()} and finds its plugins in process. */
  public static Kubelet stepped(StepContext context, NodeConfig config, Plugins plugins) {
    NodeParts parts =
        parts(context.api(), config, context.settings(), context.clock(), context.random());
    Kubelet kubelet = new Kubelet(config, parts, Optional.of(plugins));
    kubelet.start();
    return kubelet;
  }

  /** What all stepped kubelets of a cluster share. */
  public record StepContext(
      Api api, KubeletSettings settings, InstantSource clock, Random random) {}

  private static NodeParts parts(
      Api api, NodeConfig config, KubeletSettings settings, InstantSource clock, Random random) {
    ContainerRuntime runtime = new ContainerRuntime(config.name(), config.cdiRoots());
    return new NodeParts(config.name(), api, settings, clock, random, new ClaimCache(), runtime);
  }

  public String nodeName() {
    return config.name();
  }

  /** Starts a stopped kubelet; its node becomes ready. A running one is left alone. */
  public synchronized void start() {
    if (life != null) {
      return;
    }
    node.cache().restore();
    object.ensure(config.labels(), node.profile());
    life = stepped.map(this::steppedLife).orElseGet(this::threadedLife);
  }

  private Life steppedLife(Plugins plugins) {
    PodWorkers workers = new PodWorkers(node, plugins, Runnable::run);
    return new Life(workers, List.of(workers));
  }

  private Life threadedLife() {
    String name = "kubelet-" + config.name();
    Registrations registrations =
        new Registrations(config.kubeletDir(), node.timings(), node.profile(), node.clock());
    ExecutorService executor =
        Executors.newCachedThreadPool(
            task -> {
              Thread thread = new Thread(task, name + "-pod");
              thread.setDaemon(true);
              return thread;
            });
    PodWorkers workers = new PodWorkers(node, registrations, executor);
    List<AutoCloseable> parts = new ArrayList<>();
    parts.add(ActorThread.start(name, workers));
    parts.add(ActorThread.start(name + "-plugins", registrations));
    parts.add(executor::shutdownNow);
    return new Life(workers, parts);
  }

  /**
   * Stops the kubelet as a kill does: calls to plugins are cut, containers run on, the node object
   * stays as it is.
   */
  public synchronized void stop() {
    if (life != null) {
      Life ended = life;
      life = null;
      ended.parts().forEach(Kubelet::closeQuietly);
    }
  }

  private static void closeQuietly(AutoCloseable part) {
    try {
      part.close();
    } catch (Exception e) {
      throw new IllegalStateException("cannot stop a part of a kubelet", e);
    }
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
    return node.runtime().containers();
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
