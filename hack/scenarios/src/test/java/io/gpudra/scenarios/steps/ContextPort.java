package io.gpudra.scenarios.steps;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.Iterables;
import io.gpudra.controller.dra.ContextStore;
import io.gpudra.controller.dra.ContextStore.StatusPatch;
import io.gpudra.controller.dra.WriteOutcome.Kind;
import io.gpudra.controller.dra.facts.ContextFacts;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.simulator.actor.Meta;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Refusal;
import io.gpudra.simulator.api.Resource;
import io.gpudra.simulator.server.ObjectServer;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The scheduling contexts over a stale cache; all entries there are ours. */
final class ContextPort implements ContextStore {
  private final Map<ObjectKey, ContextFacts> cached =
      new TreeMap<>(Comparator.comparing(ObjectKey::toString));
  private final Controller process;
  private final World world;
  private final Wire wire;

  ContextPort(Controller process, World world) {
    this.process = process;
    this.world = world;
    this.wire = new Wire(process, world);
  }

  void changed(ContextFacts context) {
    cached.put(context.key(), context);
  }

  void gone(ObjectKey context) {
    cached.remove(context);
  }

  @Override
  public Optional<ContextFacts> get(ObjectKey context) {
    return Optional.ofNullable(cached.get(context));
  }

  @Override
  public ImmutableList<ContextFacts> all() {
    return ImmutableList.copyOf(cached.values());
  }

  @Override
  public Kind apply(ContextFacts seen, StatusPatch patch) {
    process.mustLive();
    if (!process.mayWrite()) {
      return Kind.UNCLEAR;
    }
    Kind kind = wire.send("tells " + seen.key(), () -> applied(seen, patch)).kind();
    return kind == Kind.CONFLICT ? Kind.UNCLEAR : kind;
  }

  private ObjectNode applied(ContextFacts seen, StatusPatch patch) {
    ObjectServer api = world.api();
    ObjectNode live =
        api.get(Resource.CONTEXTS, seen.pod().namespace(), seen.pod().name())
            .filter(found -> Meta.uid(found).equals(seen.uid()))
            .orElseThrow(() -> Refusal.notFound(Resource.CONTEXTS, seen.pod().name()));
    ArrayNode entries = live.withObjectProperty("status").withArrayProperty("resourceClaims");
    Iterables.removeIf(entries, entry -> true);
    patch
        .unsuitableNodes()
        .forEach(
            (claim, nodes) -> {
              ArrayNode names = entries.addObject().put("name", claim).putArray("unsuitableNodes");
              nodes.forEach(names::add);
            });
    return api.updateStatus(Resource.CONTEXTS, Json.copy(live));
  }
}
