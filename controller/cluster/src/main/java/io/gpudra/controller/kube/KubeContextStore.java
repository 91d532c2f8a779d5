package io.gpudra.controller.kube;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import io.gpudra.controller.client.JsonCalls;
import io.gpudra.controller.client.JsonCalls.Answer;
import io.gpudra.controller.client.JsonCalls.Form;
import io.gpudra.controller.client.watch.ObjectCache;
import io.gpudra.controller.client.watch.ObjectCache.Kept;
import io.gpudra.controller.dra.ContextStore;
import io.gpudra.controller.dra.ContextStore.StatusPatch;
import io.gpudra.controller.dra.WriteOutcome.Kind;
import io.gpudra.controller.dra.facts.ContextFacts;
import io.gpudra.controller.kube.mapping.ResourceKinds;
import io.gpudra.controller.loop.ObjectKey;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads scheduling contexts from the cache and writes our entries by server-side apply, because
 * every other patch format would replace the entries of other drivers, too (protocol.md 1.3).
 */
record KubeContextStore(
    ObjectCache<ContextFacts> cache,
    JsonCalls calls,
    String driverName,
    BooleanSupplier mayWriteStatus)
    implements ContextStore {
  private static final Logger log = LoggerFactory.getLogger(KubeContextStore.class);
  private static final JsonMapper JSON = new JsonMapper();

  @Override
  public Optional<ContextFacts> get(ObjectKey context) {
    return cache.get(ObjectCache.key(context.namespace(), context.name())).map(Kept::value);
  }

  @Override
  public ImmutableList<ContextFacts> all() {
    return cache.all().stream().map(Kept::value).collect(ImmutableList.toImmutableList());
  }

  @Override
  public Kind apply(ContextFacts seen, StatusPatch patch) {
    if (!mayWriteStatus.getAsBoolean()) {
      return Kind.UNCLEAR;
    }
    String path =
        ResourceKinds.path(seen.pod().namespace(), "podschedulingcontexts", seen.pod().name())
            + "/status";
    Map<String, String> query = Map.of("fieldManager", driverName, "force", "true");
    try {
      return outcome(seen, calls.write("PATCH", path, query, Form.APPLY, body(seen, patch)));
    } catch (IOException e) {
      log.info("apply unclear context={} why={}", seen.pod(), String.valueOf(e));
      return Kind.UNCLEAR;
    }
  }

  /** A forced apply without resourceVersion cannot conflict and may be sent again. */
  private static Kind outcome(ContextFacts seen, Answer answer) {
    Kind kind = WriteResponseMapping.kind(answer);
    if (kind == Kind.REJECTED) {
      log.warn("apply rejected context={} answer={}", seen.pod(), answer);
    }
    return kind == Kind.CONFLICT ? Kind.UNCLEAR : kind;
  }

  private static String body(ContextFacts seen, StatusPatch patch) {
    ObjectNode context = JSON.createObjectNode();
    context.put("apiVersion", ResourceKinds.RESOURCE_API).put("kind", "PodSchedulingContext");
    ObjectNode metadata = context.putObject("metadata");
    metadata.put("namespace", seen.pod().namespace()).put("name", seen.pod().name());
    metadata.put("uid", seen.uid());
    ArrayNode entries = context.putObject("status").putArray("resourceClaims");
    patch
        .unsuitableNodes()
        .forEach(
            (claim, nodes) -> {
              ArrayNode names = entries.addObject().put("name", claim).putArray("unsuitableNodes");
              nodes.forEach(names::add);
            });
    return context.toString();
  }
}
