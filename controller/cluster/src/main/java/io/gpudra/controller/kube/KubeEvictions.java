package io.gpudra.controller.kube;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import io.gpudra.controller.client.JsonCalls;
import io.gpudra.controller.client.JsonCalls.Form;
import io.gpudra.controller.eviction.Evictor.Cluster.Answer;
import io.gpudra.controller.kube.mapping.CachedClaim;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.PodRef;
import java.io.IOException;
import java.util.Map;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Lists the pods of claims and evicts pods by the eviction API. */
record KubeEvictions(ClaimOverlay claims, JsonCalls calls) {
  private static final Logger log = LoggerFactory.getLogger(KubeEvictions.class);
  private static final JsonMapper JSON = new JsonMapper();
  private static final int NOT_FOUND = 404;
  private static final int TOO_MANY_REQUESTS = 429;

  /** Names in a claim's status are not validated by the API server. */
  private static final Pattern POD_NAME = Pattern.compile("[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?");

  ImmutableList<PodRef> podsOf(ClaimRef ref, ClaimUid claim) {
    return claims.newest(ref).stream()
        .filter(kept -> kept.uid().equals(claim.value()))
        .flatMap(kept -> kept.value().consumers().stream())
        .filter(KubeEvictions::isPod)
        .map(pod -> new PodRef(ref.namespace(), pod.name(), pod.uid()))
        .collect(toImmutableList());
  }

  private static boolean isPod(CachedClaim.Consumer consumer) {
    return consumer.apiGroup().isEmpty()
        && consumer.resource().equals("pods")
        && !consumer.uid().isEmpty()
        && !consumer.name().contains("..")
        && POD_NAME.matcher(consumer.name()).matches();
  }

  Answer evict(PodRef pod) {
    String path = "/api/v1/namespaces/%s/pods/%s/eviction".formatted(pod.namespace(), pod.name());
    try {
      return answer(pod, calls.write("POST", path, Map.of(), Form.JSON, body(pod)));
    } catch (IOException e) {
      log.info("eviction unclear pod={} why={}", pod, e.toString());
      return Answer.FAILED;
    }
  }

  private static Answer answer(PodRef pod, JsonCalls.Answer said) {
    if (said.ok()) {
      return Answer.EVICTED;
    }
    return switch (said.code()) {
      case NOT_FOUND -> Answer.GONE;
      case TOO_MANY_REQUESTS -> Answer.BLOCKED;
      default -> {
        log.warn("eviction refused pod={} answer={}", pod, said);
        yield Answer.FAILED;
      }
    };
  }

  /** With the UID as precondition, since another pod may have the same name. */
  private static String body(PodRef pod) {
    ObjectNode eviction = JSON.createObjectNode();
    eviction.put("apiVersion", "policy/v1").put("kind", "Eviction");
    eviction.putObject("metadata").put("namespace", pod.namespace()).put("name", pod.name());
    eviction.putObject("deleteOptions").putObject("preconditions").put("uid", pod.uid());
    return eviction.toString();
  }
}
