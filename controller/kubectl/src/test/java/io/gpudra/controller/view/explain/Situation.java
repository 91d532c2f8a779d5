package io.gpudra.controller.view.explain;

import static io.gpudra.controller.view.Scene.part;
import static io.gpudra.controller.view.Scene.share;
import static io.gpudra.controller.view.Scene.whole;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.gpu.cel.DeviceSamples;
import io.gpudra.controller.kube.mapping.PodView.Scheduling;
import io.gpudra.controller.view.Scene;
import io.gpudra.crds.model.node.Inventory.Service;
import java.time.Duration;
import java.util.Optional;

/** What may be asked in which situation, by a name that the golden file has, too. */
record Situation(Scene scene, ExplainTarget explainTarget) {
  static final Duration MINUTES = Duration.ofMinutes(12);
  static final ImmutableSet<String> BOTH = ImmutableSet.of("worker-1", "worker-2");
  private static final Duration HOURS = Duration.ofHours(3);
  private static final ExplainTarget POD = pod("team-a", "train");

  static ExplainTarget pod(String namespace, String name) {
    return new ExplainTarget(Optional.of(ExplainTarget.Kind.POD), namespace, name);
  }

  static ExplainTarget claim(String namespace, String name) {
    return new ExplainTarget(Optional.of(ExplainTarget.Kind.CLAIM), namespace, name);
  }

  static Scene full() {
    return new Scene()
        .node("worker-1", 2)
        .node("worker-2", 1)
        .granted("team-a/x", HOURS, "worker-1", whole("worker-1", 0), whole("worker-1", 1))
        .granted("team-b/y", MINUTES, "worker-2", whole("worker-2", 0));
  }

  private static Scene wants(Scene scene, String spec) {
    return scene.waiting("train", MINUTES, spec).pending("train", MINUTES, BOTH, "train");
  }

  static ImmutableMap<String, Situation> all() {
    return ImmutableMap.<String, Situation>builder()
        .putAll(wholeGpus())
        .putAll(priorities())
        .putAll(parts())
        .putAll(severalClaims())
        .putAll(outsideTheLedger())
        .putAll(unasked())
        .putAll(granted())
        .putAll(grantedTainted())
        .putAll(grantedBefore())
        .putAll(waitingClaims())
        .putAll(groups())
        .buildOrThrow();
  }

  private static ImmutableMap<String, Situation> groups() {
    return ImmutableMap.of(
        "a member of a group that does not fit", new Situation(group(2), POD),
        "a member of a group that is incomplete", new Situation(group(3), POD),
        "claims of the namespace beyond its quota",
            new Situation(
                wants(full().node("worker-3", 1), "").quota("team-a", "two", "gpu", "2"), POD));
  }

  private static Scene group(int size) {
    Scheduling gated =
        new Scheduling(
            ImmutableList.of(Scene.DRIVER + "/granted"), "default-scheduler", Optional.empty());
    return full()
        .node("worker-3", 1)
        .waiting("train", MINUTES, "")
        .pod("train", MINUTES, Optional.empty(), "Pending", "train")
        .scheduling(gated)
        .member("g", String.valueOf(size))
        .waiting("other", MINUTES, "")
        .pod("other", MINUTES, Optional.empty(), "Pending", "other")
        .scheduling(gated)
        .member("g", String.valueOf(size));
  }

  private static ImmutableMap<String, Situation> wholeGpus() {
    return ImmutableMap.<String, Situation>builder()
        .put("all in use", new Situation(wants(full(), ""), POD))
        .put("two of them", new Situation(wants(full(), "{'count': 2}"), POD))
        .put("no node has so many", new Situation(wants(full(), "{'count': 4}"), POD))
        .put(
            "a node is silent, one tainted",
            new Situation(
                wants(
                    full()
                        .taint("worker-2", 0)
                        .service("worker-1", new Service.Stale(Scene.NOW.minus(HOURS))),
                    ""),
                POD))
        .put(
            "given back and not let go of",
            new Situation(
                wants(
                    new Scene()
                        .node("worker-1", 1)
                        .prepared("worker-1", "old", whole("worker-1", 0)),
                    ""),
                POD))
        .put("wrong parameters", new Situation(wants(full(), "{'count': 0}"), POD))
        .buildOrThrow();
  }

  private static ImmutableMap<String, Situation> priorities() {
    return ImmutableMap.<String, Situation>builder()
        .put(
            "one in use by a higher priority, one by lower ones",
            new Situation(
                wants(
                        full()
                            .running("team-b/high", "worker-2", "team-b/y")
                            .priority(20)
                            .running("low", "worker-1", "x")
                            .running("lower", "worker-1", "x")
                            .priority(-5),
                        "")
                    .priority(10),
                POD))
        .put(
            "in use by an equal priority and by a higher one",
            new Situation(
                wants(
                    full()
                        .running("team-b/equal", "worker-2", "team-b/y")
                        .running("low", "worker-1", "x")
                        .priority(-5)
                        .running("high", "worker-1", "x")
                        .priority(20),
                    ""),
                POD))
        .buildOrThrow();
  }

  private static ImmutableMap<String, Situation> parts() {
    return ImmutableMap.<String, Situation>builder()
        .put(
            "a considered node fits",
            new Situation(
                full()
                    .node("worker-3", 1)
                    .waiting("train", MINUTES, "")
                    .pending("train", MINUTES, ImmutableSet.of("worker-1", "worker-3"), "train"),
                POD))
        .put(
            "two claims would have to go",
            new Situation(
                wants(
                    new Scene()
                        .node("worker-1", 2)
                        .granted("team-a/x", HOURS, "worker-1", whole("worker-1", 0))
                        .granted("team-b/y", MINUTES, "worker-1", whole("worker-1", 1)),
                    "{'count': 2}"),
                POD))
        .put(
            "tainted",
            new Situation(wants(new Scene().node("worker-1", 1).taint("worker-1", 0), ""), POD))
        .put(
            "no room for a MIG device",
            new Situation(
                wants(
                    new Scene()
                        .node("worker-1", DeviceSamples.A100_MIG)
                        .granted(
                            "x",
                            HOURS,
                            "worker-1",
                            part("worker-1", 0, DeviceSamples.slice(DeviceSamples.HALF, 0))),
                    "{'migProfile': '1g.10gb'}"),
                POD))
        .buildOrThrow();
  }

  private static ImmutableMap<String, Situation> severalClaims() {
    return ImmutableMap.<String, Situation>builder()
        .put(
            "a profile that there is not",
            new Situation(
                wants(
                    new Scene().node("worker-1", DeviceSamples.A100_MIG),
                    "{'migProfile': '9g.99gb'}"),
                POD))
        .put(
            "no memory left for a share",
            new Situation(
                wants(
                    new Scene()
                        .node("worker-1", 1)
                        .granted("x", HOURS, "worker-1", share("worker-1", 0, 60)),
                    "{'mode': 'shared', 'memoryLimit': '40Gi'}"),
                POD))
        .put(
            "two claims that each fit alone",
            new Situation(
                new Scene()
                    .node("worker-1", 1)
                    .waiting("a", MINUTES, "")
                    .waiting("b", MINUTES, "")
                    .pending("train", MINUTES, BOTH, "a", "b"),
                POD))
        .put(
            "tied to the node of another claim",
            new Situation(
                full()
                    .node("worker-3", 2)
                    .waiting("train", MINUTES, "")
                    .pending("train", MINUTES, BOTH, "team-a/x", "train"),
                POD))
        .buildOrThrow();
  }

  private static ImmutableMap<String, Situation> outsideTheLedger() {
    return ImmutableMap.<String, Situation>builder()
        .put(
            "a claim that is not there",
            new Situation(full().pending("train", MINUTES, BOTH, "nowhere"), POD))
        .put(
            "the scheduler has not asked",
            new Situation(
                full()
                    .waiting("train", MINUTES, "")
                    .pod("train", MINUTES, Optional.empty(), "Pending", "train"),
                POD))
        .put(
            "inventories are not in sight",
            new Situation(
                new Scene()
                    .withheld("nodeinventories")
                    .waiting("train", MINUTES, "")
                    .pending("train", MINUTES, BOTH, "train"),
                POD))
        .put(
            "it fits and the scheduler has not chosen",
            new Situation(wants(full().node("worker-3", 1), ""), POD))
        .buildOrThrow();
  }

  private static ImmutableMap<String, Situation> unasked() {
    return ImmutableMap.<String, Situation>builder()
        .put(
            "a gate and another scheduler come first",
            new Situation(
                unasked(
                    new Scheduling(
                        ImmutableList.of("kueue.x-k8s.io/admission"), "volcano", Optional.empty())),
                POD))
        .put(
            "no node passes the filters of the scheduler",
            new Situation(
                unasked(
                    new Scheduling(
                        ImmutableList.of(),
                        "default-scheduler",
                        Optional.of(
                            "0/3 nodes are available: 3 node(s) didn't match Pod's node"
                                + " affinity/selector."))),
                POD))
        .put(
            "it has all but a node",
            new Situation(
                full().pod("train", MINUTES, Optional.empty(), "Pending", "team-a/x"), POD))
        .buildOrThrow();
  }

  private static Scene unasked(Scheduling scheduling) {
    return full()
        .node("worker-3", 1)
        .waiting("train", MINUTES, "")
        .pod("train", MINUTES, Optional.empty(), "Pending", "train")
        .scheduling(scheduling);
  }

  private static ImmutableMap<String, Situation> granted() {
    return ImmutableMap.<String, Situation>builder()
        .put(
            "prepared and used",
            new Situation(
                full()
                    .prepared("worker-1", "x", whole("worker-1", 0), whole("worker-1", 1))
                    .running("team-a/p", "worker-1", "team-a/x"),
                claim("team-a", "x")))
        .put(
            "shared",
            new Situation(
                new Scene()
                    .node("worker-1", 1)
                    .granted("x", HOURS, "worker-1", share("worker-1", 0, 20))
                    .granted("team-b/y", HOURS, "worker-1", share("worker-1", 0, 40)),
                claim("team-a", "x")))
        .put(
            "a slice beside one that drains, tainted",
            new Situation(
                new Scene()
                    .node("worker-1", DeviceSamples.A100_MIG)
                    .granted(
                        "x",
                        HOURS,
                        "worker-1",
                        part("worker-1", 0, DeviceSamples.slice(DeviceSamples.SMALL, 0)))
                    .prepared(
                        "worker-1",
                        "team-b/y",
                        part("worker-1", 0, DeviceSamples.slice(DeviceSamples.SMALL, 1)))
                    .taint("worker-1", 0),
                claim("team-a", "x")))
        .buildOrThrow();
  }

  private static ImmutableMap<String, Situation> grantedTainted() {
    return ImmutableMap.<String, Situation>builder()
        .put(
            "a slice that is tainted, beside one that is not",
            new Situation(
                new Scene()
                    .node("worker-1", DeviceSamples.A100_MIG)
                    .granted(
                        "x",
                        HOURS,
                        "worker-1",
                        part("worker-1", 0, DeviceSamples.slice(DeviceSamples.SMALL, 0)),
                        part("worker-1", 0, DeviceSamples.slice(DeviceSamples.SMALL, 1)))
                    .cut(
                        "worker-1",
                        0,
                        DeviceSamples.slice(DeviceSamples.SMALL, 0),
                        DeviceSamples.slice(DeviceSamples.SMALL, 1)),
                claim("team-a", "x")))
        .put(
            "fallen off the bus",
            new Situation(
                new Scene()
                    .node(
                        DeviceSamples.inventory(
                            "worker-1",
                            ImmutableList.of(
                                Scene.gpu("worker-1", 0, DeviceSamples.A100)
                                    .with(
                                        ImmutableList.of(
                                            DeviceSamples.taint("lost", "fell off the bus"))))))
                    .granted("x", HOURS, "worker-1", whole("worker-1", 0)),
                claim("team-a", "x")))
        .buildOrThrow();
  }

  private static ImmutableMap<String, Situation> grantedBefore() {
    return ImmutableMap.<String, Situation>builder()
        .put(
            "gone and not let go of",
            new Situation(
                new Scene().node("worker-1", 1).prepared("worker-1", "x", whole("worker-1", 0)),
                claim("team-a", "x")))
        .put(
            "of a node that is gone",
            new Situation(
                new Scene().granted("x", HOURS, "worker-9", whole("worker-9", 0)),
                claim("team-a", "x")))
        .put(
            "by parameters that changed since",
            new Situation(
                full().asks("x", 1, "{}").parameters("x", 2, "{'count': 1}"), claim("team-a", "x")))
        .put(
            "by parameters that are gone",
            new Situation(full().asks("x", 1, "{}").withoutParameters(), claim("team-a", "x")))
        .buildOrThrow();
  }

  private static ImmutableMap<String, Situation> waitingClaims() {
    return ImmutableMap.<String, Situation>builder()
        .put(
            "Immediate, and no node has one",
            new Situation(
                full().waiting("train", MINUTES, "").immediate("train"), claim("team-a", "train")))
        .put(
            "Immediate, and there is one",
            new Situation(
                full().node("worker-3", 1).waiting("train", MINUTES, "").immediate("train"),
                claim("team-a", "train")))
        .put("of a pod that waits", new Situation(wants(full(), ""), claim("team-a", "train")))
        .put(
            "nobody is to use it",
            new Situation(
                full().waiting("train", MINUTES, "{'count': 2}"), claim("team-a", "train")))
        .buildOrThrow();
  }
}
