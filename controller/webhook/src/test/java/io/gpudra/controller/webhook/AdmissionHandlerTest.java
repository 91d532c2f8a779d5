package io.gpudra.controller.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonParser;
import io.gpudra.controller.webhook.server.ReviewTooLargeException;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is refused, what is warned of and what is left alone. */
class AdmissionHandlerTest {
  private static final String CLAIM = "resource.k8s.io/ResourceClaim";
  private static final String TEMPLATE = "resource.k8s.io/ResourceClaimTemplate";
  private static final String CLAIM_PARAMETERS = "gpu.resource.example.com/GpuClaimParameters";
  private static final String CLASS_PARAMETERS = "gpu.resource.example.com/GpuClassParameters";

  private final KnownObjects known =
      new KnownObjects()
          .classOf(KnownObjects.DRIVER, "gpu")
          .classOf("dsa.example.com", "dsa")
          .ourClass("few", "{'limits': {'devicesPerClaim': 4}}")
          .ourClass("anonymous", "{'forbiddenAttributes': ['node']}")
          .ourClass("theirs", "{'namespaceSelector': {'matchLabels': {'team': 'b'}}}")
          .parameters("team-a", "one", "{'count': 1}")
          .parameters("team-a", "five", "{'count': 5}")
          .parameters("team-a", "here", "{'cel': \"device.node == 'a'\"}")
          .parameters("team-a", "typo", "{'count': 0, 'cel': 'device.memry > 1'}")
          .parameters("team-b", "only-there", "{}");
  private final ScheduledExecutorService later = Executors.newScheduledThreadPool(1);
  private final List<String> outcomes = new ArrayList<>();
  private final AdmissionHandler admission =
      new AdmissionHandler(known.validators(known.driver()), later, outcomes::add);

  @AfterEach
  void stop() {
    later.shutdownNow();
  }

  private String ask(byte[] review) {
    return ask(Reviews.CLIENT, review);
  }

  private String ask(InetAddress client, byte[] review) {
    CompletableFuture<byte[]> answer = new CompletableFuture<>();
    try {
      admission.review(client, review, answer::complete);
    } catch (IOException e) {
      throw new AssertionError("not read", e);
    }
    return Reviews.said(answer.orTimeout(60, TimeUnit.SECONDS).join());
  }

  private String create(String kind, String object) {
    return ask(Reviews.review(kind, "CREATE", "'object': " + object));
  }

  private String claim(String ofClass, String name) {
    return create(
        CLAIM,
        """
        {'metadata': {'name': 'a', 'namespace': 'team-a'}, 'spec': {'resourceClassName': '%s',
          'parametersRef': {'apiGroup': 'gpu.resource.example.com',
            'kind': 'GpuClaimParameters', 'name': '%s'}}}"""
            .formatted(ofClass, name));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "gpu | one | allowed",
        "gpu | five | allowed",
        "few | five | 422 Invalid: GpuClaimParameters \"five\": class \"few\" allows 4 devices per claim, 5 wanted",
        "anonymous | one | allowed",
        "anonymous | here | 422 Invalid: GpuClaimParameters \"here\": spec.cel: Forbidden: class \"anonymous\" lets no condition read device.node",
        "gpu | here | allowed",
        "theirs | one | warning: class \"theirs\" is not for namespace \"team-a\"; its labels are not known yet",
        "gpu | none | warning: spec.parametersRef.name: Not found: GpuClaimParameters \"none\" not found in namespace \"team-a\"",
        "gpu | only-there | warning: spec.parametersRef.name: Not found: GpuClaimParameters \"only-there\" not found in namespace \"team-a\"",
        "nowhere | typo | warning: spec.resourceClassName: Not found: ResourceClass \"nowhere\"",
        "dsa | typo | allowed",
      })
  void aNewClaimIsJudgedAsTheControllerWould(String ofClass, String parameters, String said) {
    assertThat(claim(ofClass, parameters)).isEqualTo(said);
  }

  @Test
  void whatIsWrongWithTheParametersOfAClaimIsSaidAndWhoseItIs() {
    assertThat(claim("gpu", "typo"))
        .startsWith("422 Invalid: GpuClaimParameters \"typo\": ")
        .contains("spec.count: Invalid value: 0");
  }

  @Test
  void aClassIsOnlyForItsNamespacesOnceTheirLabelsAreKnown() {
    known.namespace("team-a", "team", "a");
    assertThat(claim("theirs", "one"))
        .isEqualTo(
            "422 Invalid: GpuClaimParameters \"one\": class \"theirs\" is not for namespace"
                + " \"team-a\"");
    known.namespace("team-a", "team", "b");
    assertThat(claim("theirs", "one")).isEqualTo("allowed");
  }

  @ParameterizedTest
  @CsvSource({"spec, ResourceClaim", "spec.spec, ResourceClaimTemplate"})
  void allThatIsWrongWithAReferenceIsSaidAtOnceAndWhere(String path, String kind) {
    String spec =
        """
        {'resourceClassName': 'gpu', 'parametersRef': {'apiGroup': 'gpu.nvidia.com',
          'kind': 'GpuClaimParameter', 'name': ''}}""";
    String object = kind.equals("ResourceClaim") ? spec : "{'spec': " + spec + "}";

    assertThat(create("resource.k8s.io/" + kind, "{'spec': " + object + "}"))
        .isEqualTo(
            """
            422 Invalid: PATH.apiGroup: Unsupported value: "gpu.nvidia.com": \
            use "gpu.resource.example.com" (or "gpu.resource.example.com/v1alpha1"); \
            PATH.kind: Unsupported value: "GpuClaimParameter": did you mean "GpuClaimParameters"?; \
            PATH.name: Required value"""
                .replace("PATH", path + ".parametersRef"));
  }

  @Test
  void theParametersOfATemplateAreThoseOfItsNamespace() {
    String template =
        """
        {'metadata': {'name': 'a'}, 'spec': {'spec': {'resourceClassName': 'few',
          'parametersRef': {'apiGroup': 'gpu.resource.example.com',
            'kind': 'GpuClaimParameters', 'name': '%s'}}}}""";

    assertThat(create(TEMPLATE, template.formatted("one"))).isEqualTo("allowed");
    assertThat(create(TEMPLATE, template.formatted("five"))).contains("5 wanted");
    assertThat(create(TEMPLATE, template.formatted("none")))
        .startsWith("warning: spec.spec.parametersRef.name: Not found");
  }

  @Test
  void anImmediateClaimCannotBeInsideAnother() {
    known.parameters("team-a", "inside", "{'migProfile': '1g.5gb', 'insideClaim': 'gpu'}");
    String claim =
        """
        {'spec': {'resourceClassName': 'gpu', 'allocationMode': 'Immediate',
          'parametersRef': {'apiGroup': 'gpu.resource.example.com',
            'kind': 'GpuClaimParameters', 'name': 'inside'}}}""";

    assertThat(create(CLAIM, claim)).contains("spec.insideClaim: needs allocationMode");
    assertThat(claim("gpu", "inside")).isEqualTo("allowed");
  }

  @ParameterizedTest
  @ValueSource(strings = {"UPDATE", "DELETE", "CONNECT"})
  void aClaimThatIsThereIsLeftAlone(String operation) {
    String wrong = "{'spec': {'resourceClassName': 'few', 'parametersRef': {'name': 'five'}}}";

    assertThat(create(CLAIM, wrong)).startsWith("422");
    assertThat(ask(Reviews.review(CLAIM, operation, "'object': " + wrong))).isEqualTo("allowed");
    assertThat(ask(Reviews.review(CLAIM, "CREATE", "'subResource': 'status', 'object': " + wrong)))
        .isEqualTo("allowed");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{} | allowed",
        "{'count': 4, 'topology': 'nvlink', 'memory': '40Gi'} | allowed",
        "{'memory': '16'} | 422 Invalid: spec.memory: Invalid value: \"16\": write a size with a unit, such as 16Gi or 512Mi",
        "{'cel': 'device.memry > 1'} | 422 Invalid: spec.cel: unknown device attribute \"memry\", did you mean \"memory\"?",
        "{'cel': 'device.memory'} | 422 Invalid: spec.cel: must yield true or false, yields int",
        "{'requests': [{'name': 'a'}, {'name': 'b', 'cel': 'device.memory'}]} | 422 Invalid: spec.requests[1].cel: must yield true or false, yields int",
        "{'topology': 'nvlink', 'cel': 'device.memory'} | 422 Invalid: spec: Invalid value: \"object\": topology needs at least two devices; raise count or drop topology; spec.cel: must yield true or false, yields int",
        "{'mode': 'shared', 'memoryLimit': '4Gi', 'sharing': {'strategy': 'SpacePartitioning', 'spacePartitioningConfig': {'partitionCount': 2}}} | 422 Invalid: spec.sharing.strategy: SpacePartitioning divides a whole GPU; it cannot be combined with mode: shared",
      })
  void allThatIsWrongWithClaimParametersIsSaidAtOnce(String spec, String said) {
    assertThat(create(CLAIM_PARAMETERS, "{'spec': " + spec + "}")).isEqualTo(said);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'shareable': false} | allowed",
        "{'cel': 'device.memry > 1', 'monitor': true} | say in namespaceSelector which namespaces may use the class; spec.cel: unknown device attribute \"memry\", did you mean \"memory\"?",
      })
  void allThatIsWrongWithClassParametersIsSaidAtOnce(String spec, String said) {
    assertThat(create(CLASS_PARAMETERS, "{'spec': " + spec + "}")).endsWith(said);
  }

  @Test
  void parametersAreJudgedWhenTheirSpecChangesAndNotOtherwise() {
    String broken = "{'spec': {'count': 0}}";
    String labelled = "{'metadata': {'labels': {'a': 'b'}}, 'spec': {'count': 0}, 'status': {}}";
    String deleting =
        "{'metadata': {'deletionTimestamp': '2026-01-01T00:00:00Z'}, 'spec': {'count': 0}}";

    assertThat(update(broken, "{'spec': {'count': 1}}")).startsWith("422 Invalid: spec.count: ");
    assertThat(update("{'spec': {'count': 1}}", broken)).isEqualTo("allowed");
    assertThat(update(labelled, broken)).as("finalizers, labels").isEqualTo("allowed");
    assertThat(update(deleting, "{}")).as("its end was asked for").isEqualTo("allowed");
    assertThat(
            ask(
                Reviews.review(
                    CLAIM_PARAMETERS,
                    "UPDATE",
                    "'subResource': 'status', 'oldObject': {}, 'object': " + broken)))
        .as("its status")
        .isEqualTo("allowed");
  }

  private String update(String object, String old) {
    return ask(
        Reviews.review(
            CLAIM_PARAMETERS, "UPDATE", "'object': %s, 'oldObject': %s".formatted(object, old)));
  }

  private static byte[] forged(int pod) {
    return Reviews.review(
        "gpu.resource.example.com/NodeInventory",
        "UPDATE",
        """
        'userInfo': {'username': 'system:serviceaccount:gpudra:gpudra-kubeletplugin', 'extra': {
          'authentication.kubernetes.io/pod-name': ['plugin-x'],
          'authentication.kubernetes.io/pod-uid': ['uid-%d']}},
        'object': {'metadata': {'name': 'worker-1'}, 'spec': {}}"""
            .formatted(pod));
  }

  @Test
  void aFloodFromOneAddressKeepsNoOtherFromAskingForThePodsOfPlugins() {
    int flood = 0;
    while (flood < 5_000 && ask(forged(flood)).startsWith("403")) {
      flood++;
    }

    for (int i = 0; i < 20; i++) {
      assertThat(ask(Reviews.client(i), forged(5_000 + i))).as("address %d", i).startsWith("403");
    }
  }

  @Test
  void anAnswerIsShortWhateverItQuotes() throws IOException {
    byte[] forged =
        Reviews.review(
            "gpu.resource.example.com/NodeInventory",
            "UPDATE",
            """
            'userInfo': {'username': 'system:serviceaccount:gpudra:gpudra-kubeletplugin', 'extra': {
              'authentication.kubernetes.io/node-name': ['%s']}},
            'object': {'metadata': {'name': 'worker-1'}, 'spec': {}}"""
                .formatted("x".repeat(1_000_000)));

    assertThat(ask(forged))
        .startsWith("403 Forbidden: the plugin of node \"xxx")
        .hasSizeLessThan(20_000);
  }

  @Test
  void kindsThatNobodyJudgesAreAllowed() {
    assertThat(create("apps/Deployment", "{'spec': 5}")).isEqualTo("allowed");
    assertThat(create("resource.k8s.io/ResourceClass", "null")).isEqualTo("allowed");
  }

  @Test
  void whatIsNoSuchObjectIsTheServersToRefuse() {
    assertThat(create(CLAIM, "{'spec': []}")).startsWith("warning: could not be read");
    assertThat(create(CLAIM_PARAMETERS, "{'spec': {'count': 'x'}}"))
        .startsWith("warning: could not be read");
    assertThat(create(CLAIM, "null")).startsWith("warning: spec.resourceClassName: Not found");
  }

  @Test
  void whatIsMendedAMomentBeforeIsNotRefused() throws IOException {
    CompletableFuture<byte[]> answer = new CompletableFuture<>();
    byte[] review =
        Reviews.review(
            CLAIM,
            "CREATE",
            """
            'object': {'spec': {'resourceClassName': 'few',
              'parametersRef': {'apiGroup': 'gpu.resource.example.com',
                'kind': 'GpuClaimParameters', 'name': 'five'}}}""");

    admission.review(Reviews.CLIENT, review, answer::complete);
    known.parameters("team-a", "five", "{'count': 2}");

    assertThat(Reviews.said(answer.orTimeout(60, TimeUnit.SECONDS).join())).isEqualTo("allowed");
    assertThat(outcomes).containsExactly("allowed");
  }

  @Test
  void whoAskedIsToldItsUid() throws IOException {
    CompletableFuture<byte[]> answer = new CompletableFuture<>();
    admission.review(
        Reviews.CLIENT, Reviews.review("a/B", "CREATE", "'object': {}"), answer::complete);

    assertThat(JsonParser.parseString(new String(answer.join(), StandardCharsets.UTF_8)))
        .isEqualTo(
            JsonParser.parseString(
                """
                {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response":
                  {"uid": "705ab4f5-6393-11e8-b7cc-42010a800002", "allowed": true}}"""));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "[]",
        "7",
        "{}",
        "{\"request\": {}}",
        "{\"request\": []}",
        "{\"request\": {\"uid\": {}}}",
        "{\"request\": {\"uid\": \"12345678901234567890123456789012345678901234567890123456789012345\"}}"
      })
  void whatIsNoReviewHasNoAnswer(String body) {
    assertThatThrownBy(
            () ->
                admission.review(
                    Reviews.CLIENT, body.getBytes(StandardCharsets.UTF_8), answer -> {}))
        .isInstanceOf(IOException.class);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'spec': {'x': [0",
        "{'spec': {'requests': [{'count': 1}",
        "{'spec': {'x': [null",
        "{'spec': {'x': [true",
        "{'spec': {'x': [[]",
      })
  void aReviewOfMillionsOfValuesIsTooLarge(String begun) {
    String value = begun.substring(begun.indexOf('[') + 1);
    String object = begun + (", " + value).repeat(7_000_000 / (value.length() + 2)) + "]}}";
    byte[] review = Reviews.review(CLAIM_PARAMETERS, "CREATE", "'object': " + object);

    assertThatThrownBy(() -> admission.review(Reviews.CLIENT, review, answer -> {}))
        .isInstanceOf(ReviewTooLargeException.class)
        .hasMessageContaining("bytes of memory");
  }

  @ParameterizedTest
  @ValueSource(strings = {"'spec': {'cel': '%s'}", "'metadata': {'%s': 1}", "'x\\\\\\'%s': 1"})
  void aReviewWithALongTextIsTooLargeWhereverItIs(String field) {
    String object = "{" + field.formatted("x".repeat(6_000_000)) + "}";
    byte[] review = Reviews.review(CLAIM_PARAMETERS, "CREATE", "'object': " + object);

    assertThatThrownBy(() -> admission.review(Reviews.CLIENT, review, answer -> {}))
        .isInstanceOf(ReviewTooLargeException.class)
        .hasMessageContaining("a text of the review");
  }

  @Test
  void aReviewOfMillionsOfBracketsIsNone() {
    String deep = "[".repeat(3_000_000);
    for (String field : List.of("'spec': ", "'data': ")) {
      byte[] review = Reviews.review(CLAIM_PARAMETERS, "CREATE", "'object': {" + field + deep);

      assertThatThrownBy(() -> admission.review(Reviews.CLIENT, review, answer -> {}))
          .isInstanceOf(IOException.class);
    }
  }

  @Test
  void megabytesOfWhatIsNotJudgedAreNoHindrance() {
    String labels = "'x': 'y', ".repeat(600_000);

    assertThat(
            create(
                CLAIM_PARAMETERS,
                "{'metadata': {'name': 'a', 'labels': {" + labels + "'z': ''}}, 'spec': {}}"))
        .isEqualTo("allowed");
  }
}
