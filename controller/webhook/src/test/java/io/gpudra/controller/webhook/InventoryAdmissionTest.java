package io.gpudra.controller.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import com.google.common.base.Ticker;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A plugin writes the inventory of its own node and no other. */
class InventoryAdmissionTest {
  private static final String PLUGIN = "system:serviceaccount:gpudra:gpudra-kubeletplugin";
  private static final String EXTRA = "authentication.kubernetes.io/";
  private static final String POD =
      "'%spod-name': ['plugin-x'], '%spod-uid': ['uid-1']".formatted(EXTRA, EXTRA);

  private final List<String> asked = new ArrayList<>();
  private boolean mayAsk = true;
  private Duration now = Duration.ZERO;
  private final InventoryAdmission admission =
      new InventoryAdmission(
          (namespace, pod, uid) -> {
            asked.add("%s/%s %s".formatted(namespace, pod, uid));
            return uid.equals("uid-1") && pod.equals("plugin-x")
                ? Optional.of("worker-1")
                : Optional.empty();
          },
          client -> mayAsk,
          new Ticker() {
            @Override
            public long read() {
              return now.toNanos();
            }
          });

  private static String judged(InventoryAdmission admission, String user, String extra, String node)
      throws IOException {
    String request =
        """
        'userInfo': {'username': '%s', 'extra': {%s}},
        'object': {'metadata': {'name': '%s'}, 'spec': {}}"""
            .formatted(user, extra, node);
    ReviewRequest review =
        ReviewRequest.read(
            Reviews.review("gpu.resource.example.com/NodeInventory", "UPDATE", request));
    return Reviews.said(review.answer(admission.decide(Reviews.CLIENT, review)));
  }

  private String judged(String user, String extra, String node) throws IOException {
    return judged(admission, user, extra, node);
  }

  private static String refusal(String own, String other) {
    return "403 Forbidden: the plugin of node \"%s\" may not write the inventory of node \"%s\""
        .formatted(own, other);
  }

  @Test
  void theNodeIsThatOfTheTokensPod() throws IOException {
    assertThat(judged(PLUGIN, POD, "worker-1")).isEqualTo("allowed");
    assertThat(judged(PLUGIN, POD, "worker-2")).isEqualTo(refusal("worker-1", "worker-2"));
    assertThat(asked).as("a pod stays where it is").containsExactly("gpudra/plugin-x uid-1");
  }

  @Test
  void theNodeThatATokenNamesIsBelieved() throws IOException {
    String extra = "'%snode-name': ['worker-2'], %s".formatted(EXTRA, POD);

    assertThat(judged(PLUGIN, extra, "worker-2")).isEqualTo("allowed");
    assertThat(judged(PLUGIN, extra, "worker-1")).isEqualTo(refusal("worker-2", "worker-1"));
    assertThat(asked).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "'authentication.kubernetes.io/pod-name': ['plugin-x']",
        "'authentication.kubernetes.io/pod-name': ['plugin-x'], 'authentication.kubernetes.io/pod-uid': ['another']",
        "'authentication.kubernetes.io/pod-name': ['../nodes/x'], 'authentication.kubernetes.io/pod-uid': ['uid-1']",
        "'authentication.kubernetes.io/node-name': []",
      })
  void aTokenWithoutANodeWritesNone(String extra) throws IOException {
    assertThat(judged(PLUGIN, extra, "worker-1")).isEqualTo(refusal("", "worker-1"));
    assertThat(judged(PLUGIN, extra, "")).isEqualTo(refusal("", ""));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "system:serviceaccount:elsewhere:team-gpudra-kubeletplugin-two",
        "system:serviceaccount:gpudra:gpudra-kubeletplugin"
      })
  void aPluginIsOneWhateverAnOverlayCallsIt(String user) throws IOException {
    assertThat(judged(user, POD, "worker-2")).isEqualTo(refusal("worker-1", "worker-2"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"admin", "system:serviceaccount:gpudra:gpudra-controller", ""})
  void whoIsNoPluginIsNotJudged(String user) throws IOException {
    assertThat(judged(user, "", "worker-2")).isEqualTo("allowed");
  }

  /** Half a minute of a core where each beginning is tried with each end. */
  @Test
  void aNameOfAMegabyteIsReadOnce() {
    String user = "system:serviceaccount:a:" + "gpudra-kubeletplugin".repeat(50_000) + ":";

    assertTimeoutPreemptively(
        Duration.ofSeconds(10),
        () -> assertThat(judged(user, POD, "worker-2")).isEqualTo("allowed"));
  }

  private static String pod(String uid) {
    return POD.replace("uid-1", uid);
  }

  @Test
  void whoMakesReviewsUpHasUsAskOnlySoOften() throws IOException {
    assertThat(judged(PLUGIN, POD, "worker-1")).isEqualTo("allowed");
    mayAsk = false;

    assertThat(judged(PLUGIN, pod("uid-2"), "worker-1"))
        .isEqualTo(
            "503 ServiceUnavailable: the node of the plugin is not known yet:"
                + " too many reviews ask for the nodes of pods");
    assertThat(judged(PLUGIN, POD, "worker-1")).as("known").isEqualTo("allowed");
    assertThat(asked).hasSize(1);
  }

  @Test
  void aPodThatWasNotFoundIsNotAskedForAgainSoon() throws IOException {
    for (int i = 0; i < 1_000; i++) {
      assertThat(judged(PLUGIN, pod("uid-2"), "worker-1")).isEqualTo(refusal("", "worker-1"));
    }
    assertThat(asked).hasSize(1);

    now = Duration.ofSeconds(11);
    assertThat(judged(PLUGIN, pod("uid-2"), "worker-1")).isEqualTo(refusal("", "worker-1"));
    assertThat(asked).hasSize(2);
  }

  @Test
  void ofPodsThatWereNotFoundFewAreRemembered() throws IOException {
    for (int i = 0; i < 10_000; i++) {
      judged(PLUGIN, pod("uid-of-" + i), "worker-1");
    }
    asked.clear();
    for (int i = 0; i < 10_000; i++) {
      judged(PLUGIN, pod("uid-of-" + i), "worker-1");
    }

    assertThat(asked).hasSizeGreaterThanOrEqualTo(9_000);
  }

  @Test
  void whoForgesTheNameOfAPodKeepsItNotAway() throws IOException {
    assertThat(judged(PLUGIN, POD.replace("plugin-x", "plugin-y"), "worker-1"))
        .isEqualTo(refusal("", "worker-1"));
    assertThat(judged(PLUGIN, POD, "worker-1")).isEqualTo("allowed");
  }

  /** What a second leaves over is saved for the next. */
  @Test
  void ofManyReviewsTwoHundredASecondAsk() throws IOException {
    InventoryAdmission shipped =
        new InventoryAdmission(
            (namespace, pod, uid) -> {
              asked.add(uid);
              return Optional.empty();
            });
    long begin = System.nanoTime();
    for (int i = 0; i < 1_000; i++) {
      judged(shipped, PLUGIN, pod("uid-of-" + i), "worker-1");
    }
    long seconds = Duration.ofNanos(System.nanoTime() - begin).toSeconds() + 1;

    assertThat(asked)
        .hasSizeLessThanOrEqualTo(
            (int) (seconds + 1) * (QuestionRates.OF_ADDRESS + QuestionRates.OF_ALL));
  }

  @Test
  void oneAddressMayAskWithWhatAllHaveTogether() {
    for (int i = 0; i < 20; i++) {
      QuestionRates rates = new QuestionRates();

      assertThat(rates.mayAsk(Reviews.CLIENT)).isTrue();
      assertThat(rates.mayAsk(Reviews.CLIENT)).as("soon after").isTrue();
    }
  }

  @Test
  void ofManyAddressesFewAreRemembered() {
    QuestionRates rates = new QuestionRates();
    for (int i = 0; i < 5_000; i++) {
      rates.mayAsk(Reviews.client(i));
    }

    assertThat(rates.addresses()).isLessThanOrEqualTo(QuestionRates.MAX_ADDRESSES);
  }

  @Test
  void noPodHasALongUidOrName() throws IOException {
    assertThat(judged(PLUGIN, POD.replace("plugin-x", "x".repeat(254)), "worker-1"))
        .isEqualTo(refusal("", "worker-1"));
    assertThat(judged(PLUGIN, pod("1".repeat(65)), "worker-1")).isEqualTo(refusal("", "worker-1"));
    assertThat(asked).isEmpty();
  }

  @Test
  void whatCannotBeToldIsRefused() throws IOException {
    InventoryAdmission cut =
        new InventoryAdmission(
            (namespace, pod, uid) -> {
              throw new IOException("timeout");
            });

    assertThat(judged(cut, PLUGIN, POD, "worker-1"))
        .isEqualTo("503 ServiceUnavailable: the node of the plugin is not known yet: timeout");
  }
}
