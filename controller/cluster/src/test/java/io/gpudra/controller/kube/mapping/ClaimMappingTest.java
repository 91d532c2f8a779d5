package io.gpudra.controller.kube.mapping;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.gpudra.controller.client.LenientJson;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClaimFacts.Granted;
import io.gpudra.controller.dra.facts.ClaimFacts.Mode;
import io.gpudra.controller.dra.facts.ResourceHandle;
import io.gpudra.crds.model.PodRef;
import io.kubernetes.client.openapi.models.V1alpha2ResourceClaim;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How a claim reads; whose it is; and that no claim is too odd to be read. */
class ClaimMappingTest {

  @Test
  void readsAFreshClaim() {
    ClaimFacts facts = facts(ClaimJson.claim(5).parameters("g/v1", "params"));
    assertThat(facts.ref()).hasToString("ns/c1");
    assertThat(facts.uid()).hasToString("uid-1");
    assertThat(facts.created()).isEqualTo(Instant.parse("2026-11-21T10:00:00Z"));
    assertThat(facts.className()).isEqualTo("gpu");
    assertThat(facts.mode()).isEqualTo(Mode.DELAYED);
    assertThat(facts.parameters().orElseThrow().apiGroup()).isEqualTo("g/v1");
    assertThat(facts.parameters().orElseThrow().namespace()).hasValue("ns");
    assertThat(facts.allocation()).isEmpty();
    assertThat(facts.ending()).isFalse();
    assertThat(facts.hasFinalizer()).isFalse();
  }

  @Test
  void readsTheMarksOfItsLife() {
    ClaimFacts facts =
        facts(
            ClaimJson.claim(5).withFinalizer().deleting().requested().reserved("p").reserved("q"));
    assertThat(facts.hasFinalizer()).isTrue();
    assertThat(facts.hasBuiltinFinalizer()).isFalse();
    assertThat(facts.deleting()).isTrue();
    assertThat(facts.deallocationRequested()).isTrue();
    assertThat(facts.reservedFor()).containsExactly("p", "q");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"dra.k8s.io/delete-protection", "resource.kubernetes.io/delete-protection"})
  void theBuiltInFinalizersMeanStructured(String finalizer) {
    assertThat(facts(ClaimJson.claim(5).finalizer(finalizer)).hasBuiltinFinalizer()).isTrue();
  }

  @Test
  void isOursWithOurDriverNameAndOneHandleOfOurs() {
    assertThat(ours(ClaimJson.claim(5).allocated("d", "node-1")))
        .hasValue(new ResourceHandle("d", Optional.of("node-1"), true));
    assertThat(
            ours(ClaimJson.claim(5).allocated("d", "node-1").handle("other.example.com", "theirs")))
        .hasValue(new ResourceHandle("d", Optional.of("node-1"), true));
  }

  @Test
  void isNotOursOtherwise() {
    assertThat(ours(ClaimJson.claim(5).driver("gpu.example.com"))).as("no handle").isEmpty();
    assertThat(ours(ClaimJson.claim(5).driver("other").handle("gpu.example.com", "d")))
        .as("other driver")
        .isEmpty();
    assertThat(ours(ClaimJson.claim(5).allocated("d", "n").handle("gpu.example.com", "e")))
        .as("two handles")
        .isEmpty();
    assertThat(facts(ClaimJson.claim(5).driver("other")).allocation())
        .map(Granted::driverName)
        .hasValue("other");
  }

  @Test
  void lingersWithOurNameAloneInTheStatus() {
    assertThat(facts(ClaimJson.claim(5)).mayStillBePrepared()).isFalse();
    assertThat(facts(ClaimJson.claim(5).mayStillBePrepared()).mayStillBePrepared()).isTrue();
    assertThat(facts(ClaimJson.claim(5).allocated("d", "node-1")).mayStillBePrepared()).isFalse();
  }

  @Test
  void knowsTheNodeOnlyWhenThereIsJustOne() {
    assertThat(ours(ClaimJson.claim(5).allocated("d", "n").onlyOn("n")).orElseThrow().node())
        .hasValue("n");
    assertThat(ours(ClaimJson.claim(5).allocated("d", "n").onlyOn("m")).orElseThrow().node())
        .isEmpty();
    ClaimJson everywhere =
        ClaimJson.claim(5).driver("gpu.example.com").handle("gpu.example.com", "d");
    assertThat(ours(everywhere).orElseThrow().node()).isEmpty();
  }

  @Test
  void thePodThatOwnsAnImmediateClaimIsKeptWhileTheClaimWaits() {
    ClaimJson owned = ClaimJson.claim(5).owner("uid");
    assertThat(owned.kept().value().ownerPod()).as("waits for its pod").isEmpty();
    owned.put("/spec", "allocationMode", new TextNode("Immediate"));
    assertThat(owned.kept().value().ownerPod()).hasValue(new PodRef("ns", "pod-1", "uid"));

    assertThat(owned.allocated("d", "node-1").kept().value().ownerPod()).isEmpty();
  }

  @Test
  void theOwnerIsTheController() {
    ClaimJson owned =
        ClaimJson.claim(5)
            .put(
                "/metadata",
                "ownerReferences",
                new JsonMapper()
                    .createArrayNode()
                    .add(new JsonMapper().createObjectNode().put("uid", "x").put("name", "x"))
                    .add(
                        new JsonMapper()
                            .createObjectNode()
                            .put("uid", "pod")
                            .put("controller", true)));
    assertThat(facts(owned).ownerUid()).hasValue("pod");
    assertThat(facts(ClaimJson.claim(5)).ownerUid()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{\"metadata\":{}}",
        "{\"spec\":{\"parametersRef\":{}},\"status\":{\"allocation\":{\"resourceHandles\":[{}]}}}",
        "{\"status\":{\"driverName\":\"gpu.example.com\",\"reservedFor\":[{}],\"allocation\":"
            + "{\"resourceHandles\":[{\"driverName\":\"gpu.example.com\"}],"
            + "\"availableOnNodes\":{\"nodeSelectorTerms\":[{}]}}},\"future\":{\"a\":[1]}}"
      })
  void anOddClaimStillReads(String json) {
    ClaimFacts facts =
        ClaimJson.MAPPING.facts(LenientJson.gson().fromJson(json, V1alpha2ResourceClaim.class));
    assertThat(facts.className()).isEmpty();
  }

  @Test
  void nullsReadAsAbsent() {
    assertThat(facts(ClaimJson.claim(5).put("/status", "allocation", NullNode.getInstance())))
        .isEqualTo(facts(ClaimJson.claim(5)));
  }

  private static Optional<ResourceHandle> ours(ClaimJson claim) {
    return facts(claim).allocation().flatMap(Granted::ours);
  }

  private static ClaimFacts facts(ClaimJson claim) {
    return claim.kept().value().facts();
  }
}
