package io.gpudra.controller.kube;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.gpudra.controller.client.JsonCalls;
import io.gpudra.controller.client.JsonCalls.Answer;
import io.gpudra.controller.dra.PodFacts;
import io.gpudra.controller.dra.Pods;
import io.gpudra.controller.dra.Unavailable;
import io.gpudra.crds.model.PodRef;
import java.io.IOException;
import java.util.Optional;

/** Pods, read one at a time and never cached. */
final class KubePods implements Pods {
  private static final JsonMapper JSON = new JsonMapper();
  private static final int NOT_FOUND = 404;

  private final JsonCalls calls;
  private final PodMapping mapping;

  KubePods(JsonCalls calls, PodMapping mapping) {
    this.calls = calls;
    this.mapping = mapping;
  }

  @Override
  public Optional<PodFacts> read(PodRef pod) throws Unavailable {
    String path = "/api/v1/namespaces/" + pod.namespace() + "/pods/" + pod.name();
    try {
      Answer answer = calls.get(path);
      if (answer.code() == NOT_FOUND) {
        return Optional.empty();
      }
      if (!answer.ok()) {
        throw new IOException("GET " + path + " answered " + answer.code());
      }
      return same(pod, JSON.readTree(answer.body()));
    } catch (IOException e) {
      throw new Unavailable("read pod " + pod, e);
    }
  }

  private Optional<PodFacts> same(PodRef pod, JsonNode found) {
    boolean same = found.at("/metadata/uid").asText().equals(pod.uid());
    return same ? Optional.of(mapping.facts(pod, found)) : Optional.empty();
  }
}
