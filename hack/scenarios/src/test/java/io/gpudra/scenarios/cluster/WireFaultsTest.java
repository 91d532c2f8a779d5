package io.gpudra.scenarios.cluster;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.simulator.http.Faults;
import io.gpudra.simulator.http.Faults.Fault;
import io.gpudra.simulator.http.Faults.Match;
import io.gpudra.simulator.http.RequestLog;
import java.time.Duration;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An API server, or the way to it, that does everything it may do to a client. */
@Tag("process")
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class WireFaultsTest {
  private static final String CONTROLLER = "gpudra-controller";
  private static final String PLUGIN = "gpudra-kubeletplugin";
  private static final int PODS = 7;

  /** More than the burst needs of each kind, so that repeated writes are hit, too. */
  private static final int TIMES = 3 * PODS;

  /** A leader that loses more renewals in a row gives up. */
  private static final int RENEWALS = 2;

  private static final Duration LAG = Duration.ofMillis(500);
  private static final Duration STORM = Duration.ofSeconds(2);

  /** What a client may ask for in a storm; one that does not wait between two tries has more. */
  private static final long MAX_REFUSALS = 400;

  private static final Set<String> WRITES =
      ImmutableSet.of(
          "patch resourceclaims",
          "patch resourceclaims/status",
          "patch podschedulingcontexts/status",
          "patch gpuclaimparameters/status");

  /** No burst brings it about: it follows within a minute after the cluster's nodes came. */
  private static final String NOW_AND_THEN = "gpuclassparameters/status";

  @RegisterExtension
  static final ClusterUnderTest cluster =
      new ClusterUnderTest(
          new Plan(ImmutableMap.of("worker-0", "latest", "worker-1", "latest"), 1, 0));

  @AfterEach
  void endFaults() {
    faults().clear();
  }

  @Test
  void repliesLostAfterEveryKindOfWriteLoseNothing() throws Exception {
    breakWrites(Fault.dropAfter(), "replies-lost");
  }

  @Test
  void everyKindOfWriteLostOnItsWayLosesNothing() throws Exception {
    breakWrites(Fault.dropBefore(), "writes-lost");
  }

  @Test
  void watchesCutWheneverAPodComesOrGoesLoseNothing() throws Exception {
    DisturbedBurst.ofPairs(cluster, "watches-cut", PODS)
        .disturbedBy(faults()::cutWatches)
        .losesNothing();
  }

  @Test
  void watchesThatLagBehindLoseNothing() throws Exception {
    faults().delayWatches(LAG);
    DisturbedBurst.ofPairs(cluster, "watches-late", PODS).losesNothing();
  }

  @ParameterizedTest
  @ValueSource(ints = {409, 410, 429, 500})
  void aStormOfRefusalsLosesNothingAndIsMetWithPatience(int code) throws Exception {
    requests().clear();
    injectIntoWrites(Fault.answer(code));
    faults().inject(new Match(CONTROLLER, "", "", ""), Fault.answer(code), STORM);
    faults().inject(new Match(PLUGIN, "", "", ""), Fault.answer(code), STORM);
    faults().cutWatches();
    DisturbedBurst.ofPairs(cluster, "storm-" + code, PODS).losesNothing();
    assertThat(writes(entry -> entry.code() == code)).isEqualTo(WRITES);
    assertThat(requests().count(entry -> entry.code() == code)).isLessThan(MAX_REFUSALS);
  }

  /** Watches lag, so that they do not make up at once for what a lost answer would have told. */
  private static void breakWrites(Fault fault, String namespace) throws Exception {
    requests().clear();
    faults().delayWatches(LAG);
    injectIntoWrites(fault);
    faults().inject(new Match(CONTROLLER, "update", "leases", ""), fault, RENEWALS);
    faults().inject(new Match(PLUGIN, "patch", "", ""), fault, RENEWALS);
    DisturbedBurst.ofPairs(cluster, namespace, PODS).losesNothing();
    assertThat(writes(entry -> entry.code() == 0)).isEqualTo(WRITES);
    assertThat(writes(entry -> true)).as("all kinds there are").isEqualTo(WRITES);
  }

  private static void injectIntoWrites(Fault fault) {
    for (String write : WRITES) {
      String[] words = write.split(" ", -1);
      faults().inject(new Match(CONTROLLER, words[0], words[1], ""), fault, TIMES);
    }
  }

  private static Set<String> writes(Predicate<RequestLog.Entry> kind) {
    return cluster.controllerCalls(kind).stream()
        .filter(entry -> !entry.verb().equals("get") && !entry.resource().equals(NOW_AND_THEN))
        .map(entry -> entry.verb() + " " + entry.resource())
        .collect(toSet());
  }

  private static RequestLog requests() {
    return cluster.cluster().doubles().requests();
  }

  private static Faults faults() {
    return cluster.cluster().doubles().faults();
  }
}
