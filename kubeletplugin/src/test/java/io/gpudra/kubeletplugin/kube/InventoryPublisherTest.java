package io.gpudra.kubeletplugin.kube;

import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.MetricRegistry;
import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.inventory.InventoryCodec;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.PreparedClaim;
import io.gpudra.crds.testing.NodeFixture;
import io.gpudra.kubeletplugin.prepare.ClaimPreparer;
import io.gpudra.kubeletplugin.prepare.call.PrepareCall;
import io.gpudra.kubeletplugin.testing.FakeApi;
import io.gpudra.kubeletplugin.testing.FakeNode;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@SuppressWarnings("NullAway.Init") // set before each test
class InventoryPublisherTest {

  private static final Duration LONG = Duration.ofHours(1);
  private static final Duration SHORT = Duration.ofMillis(10);
  private static final String FAILED = "gpudra.plugin.publish.outcome.failed";

  @TempDir Path directory = Path.of("");
  private final MetricRegistry metrics = new MetricRegistry();
  private FakeApi api;
  private FakeNode node;
  private ClaimPreparer preparer;
  private InventoryPublisher publisher;
  private Clock clock = Clock.systemUTC();
  private volatile String driverVersion = "1.0.0";
  private volatile boolean othersUseKnown = true;

  @BeforeEach
  void start() throws IOException {
    api = new FakeApi();
    node = new FakeNode(directory);
    preparer = node.start();
    publisher = publisher(SHORT, LONG);
  }

  @AfterEach
  void stop() {
    api.close();
    publisher.close();
  }

  private InventoryWriter writer() throws IOException {
    return new InventoryWriter(
        KubeApi.open(Optional.of(api.kubeconfig(directory))),
        FakeNode.NAME,
        FakeNode.DRIVER,
        Clock.systemUTC());
  }

  private InventoryPublisher publisher(Duration quiet, Duration heartbeat) throws IOException {
    return new InventoryPublisher(
        writer(),
        new InventoryCodec.Publisher(FakeNode.DRIVER, "1.2.3", "boot-1", 60),
        () -> othersUseKnown ? Optional.of(inventory()) : Optional.empty(),
        new PublishInterval(quiet, heartbeat, SHORT, () -> 0.5),
        clock,
        metrics);
  }

  private Inventory inventory() {
    return NodeFixture.node(FakeNode.NAME)
        .driver(driverVersion, "")
        .gpus(node.devices.gpus())
        .prepared(preparer.held().toArray(PreparedClaim[]::new))
        .format(1)
        .inventory();
  }

  private void run() {
    preparer.onChange(publisher::changed);
    publisher.start(problem -> {});
  }

  private static void await(String what, Callable<Boolean> condition) {
    Awaitility.await(what).atMost(60, TimeUnit.SECONDS).until(condition);
  }

  private String readyReason() {
    return api.inventory().path("status").path("conditions").path(0).path("reason").asText();
  }

  @Test
  void createsTheObjectOwnedByTheNodeAndPublishes() {
    run();

    await("published", () -> readyReason().equals("Starting"));
    assertThat(
            api.inventory().path("metadata").path("ownerReferences").path(0).path("uid").asText())
        .isEqualTo("node-uid-1");
    assertThat(api.inventory().path("status").path("devices")).hasSize(8);
    assertThat(api.inventory().path("status").path("driverName").asText())
        .isEqualTo(FakeNode.DRIVER);
  }

  @Test
  void publishesNoGpuBeforeItIsKnownWhoElseHandsItOut() {
    othersUseKnown = false;
    run();
    await("tried again", () -> metrics.meter(FAILED).getCount() >= 3);
    assertThat(api.count("PATCH") + api.count("POST")).isZero();

    othersUseKnown = true;
    await("published", () -> readyReason().equals("Starting"));
  }

  @Test
  void showsAPreparedClaimAndItsEnd() {
    run();
    preparer.prepare(node.request("u1", 2), PrepareCall.withoutDeadline());
    await("listed", () -> api.inventory().path("status").path("preparedClaims").size() == 1);
    assertThat(api.inventory().path("status").path("preparedClaims").path(0).path("devices"))
        .hasToString("[\"gpu-2\"]");

    preparer.unprepare(new ClaimUid("u1"), FakeNode.ref("u1"), PrepareCall.withoutDeadline());

    await("gone", () -> api.inventory().path("status").path("preparedClaims").isEmpty());
  }

  @Test
  void writesManyChangesTogether() throws IOException {
    publisher = publisher(Duration.ofMillis(200), LONG);
    run();
    await("published", () -> api.count("PATCH") > 0);
    long before = api.count("PATCH");

    for (int i = 0; i < 8; i++) {
      preparer.prepare(node.request("u" + i, i), PrepareCall.withoutDeadline());
    }
    await("all listed", () -> api.inventory().path("status").path("preparedClaims").size() == 8);

    // Eight claims change the list at least sixteen times.
    assertThat(api.count("PATCH") - before).isLessThan(16);
  }

  @Test
  void beatsWithoutChanges() throws IOException {
    publisher = publisher(SHORT, Duration.ofMillis(50));
    publisher.start(problem -> {});
    await("first", () -> api.inventory().has("status"));
    String first = api.inventory().path("status").path("heartbeatTime").asText();

    await(
        "next beat",
        () -> !api.inventory().path("status").path("heartbeatTime").asText().equals(first));
  }

  @Test
  void beatsOnThoughTheWallClockIsSetBackAgainAndAgain() throws IOException {
    AtomicLong day = new AtomicLong(1000);
    InstantSource backwards = () -> Instant.EPOCH.plus(Duration.ofDays(day.decrementAndGet()));
    clock = backwards.withZone(ZoneOffset.UTC);
    publisher = publisher(SHORT, Duration.ofMillis(50));
    publisher.start(problem -> {});
    await("first", () -> api.inventory().has("status"));
    Instant first = heartbeat();

    await("next beat", () -> heartbeat().isBefore(first));
  }

  private Instant heartbeat() {
    return Instant.parse(api.inventory().path("status").path("heartbeatTime").asText());
  }

  @Test
  void repeatsAfterFailuresAndMakesARemovedObjectAnew() {
    api.failNext(3);
    run();
    await("published at last", () -> api.inventory().has("status"));
    assertThat(metrics.meter("gpudra.plugin.publish.outcome.failed").getCount()).isPositive();

    api.remove(FakeApi.INVENTORIES + "/" + FakeNode.NAME);
    api.put("/api/v1/nodes/" + FakeNode.NAME, "node-uid-2");
    publisher.become(ReadyCondition.SERVING);

    await("made anew", () -> readyReason().equals("Serving"));
    assertThat(
            api.inventory().path("metadata").path("ownerReferences").path(0).path("uid").asText())
        .isEqualTo("node-uid-2");
  }

  @Test
  void namesTheGpuOnTheBusThatTheDriverDoesNotList() {
    run();
    publisher.become(ReadyCondition.SERVING);
    publisher.reaches(Optional.empty(), ImmutableSet.of("0000:07:00.0"));
    await("told", () -> message().equals("the driver does not list the GPU at 0000:07:00.0"));
    assertThat(condition(0)).isEqualTo("Ready True Serving");

    publisher.reaches(Optional.empty(), ImmutableSet.of());
    await("listed", () -> message().isEmpty());
  }

  private String message() {
    return api.inventory().path("status").path("conditions").path(0).path("message").asText();
  }

  @Test
  void saysWhatIsWrongWithTheDirectoriesUntilTheyAreMended() {
    run();
    publisher.become(ReadyCondition.SERVING);
    await("serving", () -> readyReason().equals("Serving"));
    assertThat(condition(1)).isEqualTo("StateIntact True Intact");

    publisher.found(Optional.empty(), Optional.of("read-only"));
    await("not ready", () -> condition(0).equals("Ready False CdiDirectoryUnwritable"));
    publisher.found(Optional.of("full"), Optional.of("read-only"));
    await("not intact", () -> condition(1).equals("StateIntact False StateDirectoryUnwritable"));
    assertThat(condition(0)).isEqualTo("Ready False StateDirectoryUnwritable");
    assertThat(publisher.readiness().message()).isEqualTo("full");

    publisher.found(Optional.empty(), Optional.empty());
    await("serving again", () -> readyReason().equals("Serving"));
    assertThat(condition(1)).isEqualTo("StateIntact True Intact");
  }

  @Test
  void saysThatTheContainerRuntimeDoesNotReadCdiFiles() {
    run();
    publisher.become(ReadyCondition.SERVING);
    publisher.read(Optional.of("enable_cdi is not true"));
    await("not ready", () -> condition(0).equals("Ready False RuntimeWithoutCdi"));
    assertThat(condition(1)).isEqualTo("StateIntact True Intact");
    assertThat(message()).isEqualTo("enable_cdi is not true");

    publisher.read(Optional.empty());
    await("serving", () -> condition(0).equals("Ready True Serving"));
  }

  /** The server refuses it, or the controller does; the node must not look silent. */
  @Test
  void saysThatNobodyWouldBelieveItsHardwareAndTellsTheRest() {
    driverVersion = "1".repeat(33);
    run();
    publisher.become(ReadyCondition.SERVING);
    preparer.prepare(node.request("u1", 2), PrepareCall.withoutDeadline());

    await("not ready", () -> condition(0).equals("Ready False InventoryImplausible"));
    await("listed", () -> api.inventory().path("status").path("preparedClaims").size() == 1);
    assertThat(api.inventory().path("status").path("devices")).isEmpty();
    assertThat(publisher.readiness().message()).startsWith("status.driverVersion: Too long");

    driverVersion = "1.0.0";
    publisher.changed();
    await("serving", () -> condition(0).equals("Ready True Serving"));
    assertThat(api.inventory().path("status").path("devices")).hasSize(8);
  }

  @Test
  void whatIsStillTheSameIsNotPublishedAgain() {
    run();
    publisher.become(ReadyCondition.SERVING);
    publisher.found(Optional.empty(), Optional.of("read-only"));
    await("not ready", () -> condition(0).equals("Ready False CdiDirectoryUnwritable"));
    long before = api.count("PATCH");

    publisher.found(Optional.empty(), Optional.of("read-only"));
    publisher.become(ReadyCondition.SERVING);
    publisher.close();

    assertThat(api.count("PATCH")).as("one says that it stopped").isEqualTo(before + 1);
  }

  private String condition(int index) {
    JsonNode condition = api.inventory().path("status").path("conditions").path(index);
    return condition.path("type").asText()
        + " "
        + condition.path("status").asText()
        + " "
        + condition.path("reason").asText();
  }

  @Test
  void saysThatItStopped() {
    run();
    publisher.become(ReadyCondition.SERVING);
    await("serving", () -> readyReason().equals("Serving"));

    publisher.close();

    assertThat(readyReason()).isEqualTo("Stopped");
  }

  @Test
  void stopsThoughTheServerHangsAndAsksItNoMore() {
    run();
    await("published", () -> readyReason().equals("Starting"));
    int before = api.requests.size();
    api.hang();
    publisher.become(ReadyCondition.SERVING);
    await("an attempt hangs", () -> api.requests.size() > before);

    publisher.close();

    assertThat(api.requests).hasSize(before + 1);
  }

  @Test
  void stopsBesideALivingPluginOfAnotherDriver() throws Exception {
    publishOther(Instant.now());
    CompletableFuture<String> told = new CompletableFuture<>();

    assertThat(writer().check().next()).isEqualTo(InventoryWriter.Result.Next.OTHER_DRIVER);
    publisher.start(told::complete);

    assertThat(told.get(60, TimeUnit.SECONDS)).contains("other.example.com");
    publisher.close();
    assertThat(api.count("PATCH")).isZero();
  }

  @Test
  void stopsWhenAnotherDriverTookTheNodeMeanwhile() throws Exception {
    CompletableFuture<String> told = new CompletableFuture<>();
    publisher.start(told::complete);
    await("published", () -> driver().equals(FakeNode.DRIVER));

    publishOther(Instant.now());
    publisher.become(ReadyCondition.SERVING);

    assertThat(told.get(60, TimeUnit.SECONDS)).contains("other.example.com");
    publisher.close();
    assertThat(driver()).isEqualTo("other.example.com");
  }

  @Test
  void writesOnWhenSomebodyElseTouchedTheObject() {
    run();
    await("published", () -> readyReason().equals("Starting"));

    api.touch(FakeApi.INVENTORIES + "/" + FakeNode.NAME);
    publisher.become(ReadyCondition.SERVING);

    await("published", () -> readyReason().equals("Serving"));
  }

  private void publishOther(Instant heartbeat) throws IOException {
    api.put(
        FakeApi.INVENTORIES + "/" + FakeNode.NAME,
        "i",
        "{\"driverName\": \"other.example.com\", \"heartbeatTime\": \"%s\", \"heartbeatSeconds\": 60}"
            .formatted(heartbeat));
  }

  private String driver() {
    return api.inventory().path("status").path("driverName").asText();
  }

  @Test
  void takesOverFromAPluginThatIsGone() throws IOException {
    for (String status :
        new String[] {
          "{\"driverName\": \"other\", \"heartbeatTime\": \"2020-01-01T00:00:00Z\"}",
          "{\"driverName\": \"other\", \"heartbeatTime\": \"nonsense\"}",
          "{\"driverName\": 7}",
          "\"nonsense\"",
          "{\"driverName\": \"other\", \"heartbeatTime\": \"%s\", \"conditions\": [{\"type\": \"Ready\", \"status\": \"False\", \"reason\": \"Stopped\"}]}"
              .formatted(Instant.now())
        }) {
      api.put(FakeApi.INVENTORIES + "/" + FakeNode.NAME, "i", status);

      assertThat(writer().check().next()).as(status).isEqualTo(InventoryWriter.Result.Next.DONE);
    }
  }
}
