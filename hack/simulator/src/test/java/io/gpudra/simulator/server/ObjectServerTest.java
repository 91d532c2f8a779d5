package io.gpudra.simulator.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.simulator.api.ApiError;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Resource;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The server as the other doubles use it: in one thread, without HTTP, driven by steps. */
class ObjectServerTest {
  private final ObjectServer server =
      new ObjectServer(Clock.systemUTC(), new SplittableRandom(1), 100);

  private ObjectNode claim(String name) {
    return Json.parse(
        """
        {"metadata":{"name":"%s","namespace":"default"},"spec":{"resourceClassName":"gpu"}}
        """
            .formatted(name));
  }

  @Test
  void aListenerSeesEveryChangeInOrderBeforeTheWriteReturns() throws Exception {
    List<String> seen = new ArrayList<>();
    try (AutoCloseable watch =
        server.watch(
            Resource.CLAIMS, e -> seen.add(e.type() + Json.text(e.object(), "metadata.name")))) {
      assertThat(watch).isNotNull();
      ObjectNode made = server.create(Resource.CLAIMS, claim("a"));
      Json.meta(made).withObjectProperty("labels").put("k", "v");
      server.update(Resource.CLAIMS, made);
      server.delete(Resource.CLAIMS, "default", "a", Optional.empty());
      assertThat(seen).containsExactly("ADDEDa", "MODIFIEDa", "DELETEDa");
    }
    server.create(Resource.CLAIMS, claim("b"));
    assertThat(seen).hasSize(3);
  }

  @Test
  void whatIsHandedOutIsTheCallersOwn() {
    ObjectNode made = server.create(Resource.CLAIMS, claim("a"));
    made.put("kind", "Changed");
    ObjectNode got = server.get(Resource.CLAIMS, "default", "a").orElseThrow();
    assertThat(Json.text(got, "kind")).isEqualTo("ResourceClaim");
    assertThat(Json.text(got, "spec.allocationMode")).isEqualTo("WaitForFirstConsumer");
    got.removeAll();
    assertThat(server.list(Resource.CLAIMS).get(0).isEmpty()).isFalse();
  }

  @Test
  void aWriteWithNumbersOfAnotherJavaTypeChangesNothing() {
    ObjectNode node =
        Json.parse("{\"metadata\":{\"name\":\"n\"},\"status\":{\"capacity\":{\"x\":5}}}");
    ObjectNode made = server.create(Resource.NODES, node);
    made.withObjectProperty("status").withObjectProperty("capacity").put("x", 5L);
    server.updateStatus(Resource.NODES, made);
    assertThat(server.get(Resource.NODES, "", "n").orElseThrow().at("/metadata/resourceVersion"))
        .isEqualTo(made.at("/metadata/resourceVersion"));
  }

  @Test
  void garbageIsCollectedStepByStepAndOnlyThen() {
    ObjectNode owner = server.create(Resource.CLAIMS, claim("owner"));
    ObjectNode child = claim("child");
    Json.meta(child)
        .putArray("ownerReferences")
        .addObject()
        .put("apiVersion", "resource.k8s.io/v1alpha2")
        .put("kind", "ResourceClaim")
        .put("name", "owner")
        .put("uid", Json.text(owner, "metadata.uid"));
    server.create(Resource.CLAIMS, child);
    assertThat(server.step()).isFalse();
    server.delete(Resource.CLAIMS, "default", "owner", Optional.empty());
    assertThat(server.get(Resource.CLAIMS, "default", "child")).isPresent();
    assertThat(server.step()).isTrue();
    assertThat(server.get(Resource.CLAIMS, "default", "child")).isEmpty();
    assertThat(server.step()).isFalse();
  }

  @Test
  void aDependentWhoseOwnerNeverExistedGoes() {
    ObjectNode child = claim("child");
    Json.meta(child).putArray("ownerReferences").addObject().put("name", "x").put("uid", "nobody");
    server.create(Resource.CLAIMS, child);
    assertThat(server.step()).isTrue();
    assertThat(server.get(Resource.CLAIMS, "default", "child")).isEmpty();
  }

  @Test
  void aNamespaceEndsWhenTheLastFinalizerInItIsGone() {
    server.create(Resource.NAMESPACES, Json.parse("{\"metadata\":{\"name\":\"team\"}}"));
    ObjectNode held = claim("held");
    Json.meta(held).put("namespace", "team").putArray("finalizers").add("gpu.example.com/x");
    server.create(Resource.CLAIMS, held);
    server.delete(Resource.NAMESPACES, "", "team", Optional.empty());
    while (server.step()) {}
    ObjectNode claim = server.get(Resource.CLAIMS, "team", "held").orElseThrow();
    assertThat(Json.text(claim, "metadata.deletionTimestamp")).isNotEmpty();
    assertThat(server.get(Resource.NAMESPACES, "", "team")).isPresent();
    Json.meta(claim).remove("finalizers");
    server.update(Resource.CLAIMS, claim);
    while (server.step()) {}
    assertThat(server.get(Resource.NAMESPACES, "", "team")).isEmpty();
  }

  @Test
  void aStaleWriteIsRefusedWithTheTextOfARealServer() {
    ObjectNode made = server.create(Resource.CLAIMS, claim("a"));
    ObjectNode labelled = made.deepCopy();
    Json.meta(labelled).withObjectProperty("labels").put("k", "v");
    server.update(Resource.CLAIMS, labelled);
    assertThatThrownBy(() -> server.update(Resource.CLAIMS, made))
        .isInstanceOf(ApiError.class)
        .hasMessage(
            "Operation cannot be fulfilled on resourceclaims.resource.k8s.io \"a\": the object has"
                + " been modified; please apply your changes to the latest version and try again");
  }

  @Test
  void aPodIsBoundOnceAndItsSpecIsFrozenAfterwards() {
    server.create(
        Resource.PODS,
        Json.parse(
            "{\"metadata\":{\"name\":\"p\",\"namespace\":\"default\"},\"spec\":{\"containers\":[{\"name\":\"c\"}]}}"));
    server.bind("default", "p", "node-1");
    ObjectNode pod = server.get(Resource.PODS, "default", "p").orElseThrow();
    assertThat(Json.text(pod, "spec.nodeName")).isEqualTo("node-1");
    assertThat(Json.text(pod, "status.phase")).isEqualTo("Pending");
    assertThatThrownBy(() -> server.bind("default", "p", "node-2")).hasMessageContaining("already");
    pod.withObjectProperty("spec").put("nodeName", "node-2");
    assertThatThrownBy(() -> server.update(Resource.PODS, pod)).hasMessageContaining("Forbidden");
  }
}
