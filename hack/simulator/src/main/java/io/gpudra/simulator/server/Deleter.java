package io.gpudra.simulator.server;

import static io.gpudra.simulator.api.Json.at;
import static io.gpudra.simulator.api.Json.text;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Refusal;
import io.gpudra.simulator.api.Resource;
import io.gpudra.simulator.kinds.Kind;
import io.gpudra.simulator.server.ObjectServer.DeleteOptions;
import io.gpudra.simulator.server.ObjectServer.Deleted;
import io.gpudra.simulator.server.ObjectServer.Target;
import io.gpudra.simulator.store.Store;
import io.gpudra.simulator.store.Stored;
import java.util.Optional;

/** Deletes: at once, or by a mark while finalizers or a grace period hold the object. */
record Deleter(Store store, Identity identity) {
  private static final ImmutableSet<String> PROTECTED =
      ImmutableSet.of("default", "kube-public", "kube-system");
  private static final ImmutableMap<String, String> FINALIZERS =
      ImmutableMap.of("Foreground", GarbageCollector.FOREGROUND, "Orphan", GarbageCollector.ORPHAN);
  private static final int DEFAULT_GRACE_SECONDS = 30;

  Deleted delete(Target target, DeleteOptions options) {
    Kind kind = target.kind();
    if (kind.kind().equals("Namespace") && PROTECTED.contains(target.key().name())) {
      throw Refusal.protectedNamespace(target.key().name());
    }
    while (true) {
      Stored old = store.get(kind.resource(), target.key()).orElseThrow(target::notFound);
      check(target, "UID", options.uid(), text(old.object(), "metadata.uid"));
      check(target, "ResourceVersion", options.revision(), Long.toString(old.revision()));
      ObjectNode marked = marked(kind, old, options);
      boolean gone = Writer.isGone(marked);
      if (options.dryRun() || (marked.equals(old.object()) && !gone)) {
        return new Deleted(marked, gone);
      }
      boolean isPod = kind.kind().equals("Pod");
      Optional<Stored> done =
          gone && !isPod
              ? store.remove(kind.resource(), old)
              : store.commit(kind.resource(), Optional.of(old), marked);
      if (done.isPresent()) {
        Stored last = gone && isPod ? end(target, done.get()) : done.get();
        return new Deleted(last.object(), gone);
      }
    }
  }

  /** What can have a grace period is marked even when that is over at once, and then removed. */
  private Stored end(Target target, Stored marked) {
    Resource resource = target.kind().resource();
    Optional<Stored> last = Optional.of(marked);
    while (last.isPresent()) {
      Optional<Stored> removed = store.remove(resource, last.get());
      if (removed.isPresent()) {
        return removed.get();
      }
      last = store.get(resource, target.key());
    }
    // Its kubelet was faster.
    return marked;
  }

  private static void check(Target target, String what, String wanted, String live) {
    if (!wanted.isEmpty() && !wanted.equals(live)) {
      String text = "the %s in the precondition (%s) does not match the %s in record (%s). %s";
      String why =
          what.equals("UID")
              ? "The object might have been deleted and then recreated"
              : "The object might have been modified";
      throw target.conflict(target.kind().kind(), text.formatted(what, wanted, what, live, why));
    }
  }

  private ObjectNode marked(Kind kind, Stored old, DeleteOptions options) {
    ObjectNode marked = old.copy();
    ObjectNode meta = Json.meta(marked);
    int grace = kind.kind().equals("Pod") ? podGrace(marked, options) : 0;
    boolean first = !meta.has("deletionTimestamp");
    if (first || grace < meta.path("deletionGracePeriodSeconds").asInt()) {
      meta.put("deletionTimestamp", identity.after(grace));
      meta.put("deletionGracePeriodSeconds", grace);
    }
    FINALIZERS.forEach(
        (policy, finalizer) -> {
          if (first && options.propagation().equals(policy)) {
            meta.withArrayProperty("finalizers").add(finalizer);
          }
        });
    if (kind.kind().equals("Namespace")) {
      marked.withObjectProperty("status").put("phase", "Terminating");
      meta.remove("deletionGracePeriodSeconds");
    }
    return marked;
  }

  /** A pod that no kubelet runs needs no time to end. */
  private static int podGrace(ObjectNode pod, DeleteOptions options) {
    String phase = text(pod, "status.phase");
    boolean idle =
        text(pod, "spec.nodeName").isEmpty() || phase.equals("Succeeded") || phase.equals("Failed");
    int standard = at(pod, "spec.terminationGracePeriodSeconds").asInt(DEFAULT_GRACE_SECONDS);
    return idle ? 0 : options.graceSeconds().orElse(standard);
  }
}
