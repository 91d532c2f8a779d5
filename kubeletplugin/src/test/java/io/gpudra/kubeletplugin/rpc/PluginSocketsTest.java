package io.gpudra.kubeletplugin.rpc;

import static io.gpudra.kubeletplugin.rpc.Kubelet.claim;
import static io.gpudra.kubeletplugin.rpc.Kubelet.entry;
import static io.gpudra.kubeletplugin.rpc.Kubelet.prepare;
import static io.gpudra.kubeletplugin.rpc.Kubelet.unprepare;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.codahale.metrics.MetricRegistry;
import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.kubeletplugin.prepare.ClaimPreparer;
import io.gpudra.kubeletplugin.prepare.call.WaitTimeout;
import io.gpudra.kubeletplugin.proto.dra.v1alpha2.NodeUnprepareResourceRequest;
import io.gpudra.kubeletplugin.proto.dra.v1alpha3.NodeListAndWatchResourcesRequest;
import io.gpudra.kubeletplugin.proto.dra.v1alpha3.NodePrepareResourceResponse;
import io.gpudra.kubeletplugin.proto.registration.InfoRequest;
import io.gpudra.kubeletplugin.proto.registration.PluginInfo;
import io.gpudra.kubeletplugin.proto.registration.RegistrationStatus;
import io.gpudra.kubeletplugin.testing.FakeNode;
import io.gpudra.kubeletplugin.testing.Faults;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Lines 25 to 32 of the protocol's conformance checklist, over real Unix sockets. */
@SuppressWarnings("NullAway.Init") // set before each test
class PluginSocketsTest {

  private static final String ID = "k8s.gpu.resource.example.com/claim=claim-";
  private static final Duration LIMIT = Duration.ofSeconds(60);

  @TempDir Path directory = Path.of("");
  private final Faults faults = new Faults();
  private final Kubelet kubelet = new Kubelet();
  private final Queue<KubeletRegistration> registrations = new ConcurrentLinkedQueue<>();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private FakeNode node;
  private SocketPaths paths;
  private ClaimPreparer preparer;
  private PluginSockets sockets;

  @BeforeEach
  void start() throws IOException {
    node = new FakeNode(directory);
    paths = SocketPaths.below(directory.resolve("k"), FakeNode.DRIVER);
    start(FakeNode.PATIENT);
  }

  private void start(WaitTimeout waitTimeout) throws IOException {
    preparer = node.start(faults, waitTimeout);
    sockets =
        PluginSockets.unopened(
            paths, new ClaimCalls(preparer, new MetricRegistry()), registrations::add);
    sockets.open();
  }

  @AfterEach
  void stop() {
    kubelet.close();
    sockets.close();
    threads.shutdownNow();
  }

  private static Status.Code code(Throwable thrown) {
    return ((StatusRuntimeException) thrown).getStatus().getCode();
  }

  private void awaitNothingHeld() {
    Awaitility.await("nothing leaks")
        .atMost(LIMIT)
        .until(() -> preparer.held().isEmpty() && node.ready().isEmpty());
  }

  @Test
  void line25RemovesStaleSocketsAtStartAndItsOwnAtStopTwice() throws IOException {
    sockets.close();
    assertThat(paths.dra()).doesNotExist();
    assertThat(paths.registration()).doesNotExist();
    Files.createFile(paths.dra());
    Files.createFile(paths.registration());

    start(FakeNode.PATIENT);
    assertThat(sockets.answer(Duration.ofSeconds(30))).isTrue();
    sockets.close();
    sockets.close();

    assertThat(paths.dra()).doesNotExist();
    assertThat(paths.registration()).doesNotExist();
    assertThat(sockets.answer(Duration.ofSeconds(1))).isFalse();
  }

  @Test
  void line25LeavesNoSocketWhenTheSecondCannotBeMade() throws IOException {
    sockets.close();
    Files.createDirectories(paths.registration());
    Files.createFile(paths.registration().resolve("in-the-way"));

    assertThatThrownBy(() -> start(FakeNode.PATIENT)).isInstanceOf(IOException.class);
    sockets.close();

    assertThat(paths.dra()).doesNotExist();
  }

  @Test
  void line26SaysWhoItIs() {
    assertThat(kubelet.registration(paths).getInfo(InfoRequest.getDefaultInstance()))
        .isEqualTo(
            PluginInfo.newBuilder()
                .setType("DRAPlugin")
                .setName(FakeNode.DRIVER)
                .setEndpoint(paths.dra().toString())
                .addSupportedVersions("1.0.0")
                .build());
    assertThat(registrations).isEmpty();
  }

  @Test
  void line26KeepsTheErrorOfARefusalAndAnswersWithAnError() {
    RegistrationStatus no =
        RegistrationStatus.newBuilder().setPluginRegistered(false).setError("too old").build();

    assertThatThrownBy(() -> kubelet.registration(paths).notifyRegistrationStatus(no))
        .hasMessageContaining("too old")
        .satisfies(e -> assertThat(code(e)).isEqualTo(Status.Code.FAILED_PRECONDITION));
    assertThat(registrations)
        .containsExactly(new KubeletRegistration(KubeletRegistration.State.REFUSED, "too old"));

    kubelet
        .registration(paths)
        .notifyRegistrationStatus(no.toBuilder().setPluginRegistered(true).setError("").build());
    assertThat(registrations.remove().state()).isEqualTo(KubeletRegistration.State.REFUSED);
    assertThat(registrations.remove().state()).isEqualTo(KubeletRegistration.State.REGISTERED);
  }

  @Test
  void line27AnswersBothVersionsWithTheSameIds() {
    Map<String, NodePrepareResourceResponse> answer =
        kubelet
            .v1alpha3(paths)
            .nodePrepareResources(
                prepare(claim(node.grant("u1", 0)), claim(node.grant("u2", 1, 2))))
            .getClaimsMap();

    assertThat(answer).containsOnlyKeys("u1", "u2");
    assertThat(entry(answer, "u1").getCdiDevicesList()).containsExactly(ID + "u1");
    assertThat(entry(answer, "u2").getCdiDevicesList()).containsExactly(ID + "u2");
    assertThat(
            kubelet
                .v1alpha2(paths)
                .nodePrepareResource(Kubelet.prepareV1Alpha2(node.grant("u1", 0)))
                .getCdiDevicesList())
        .containsExactly(ID + "u1");
  }

  @Test
  void line27HasAnErrorForEachClaimThatCannotBePreparedAndKeepsNoneOfTheRequest() {
    Map<String, NodePrepareResourceResponse> answer =
        kubelet
            .v1alpha3(paths)
            .nodePrepareResources(
                prepare(
                    claim(node.grant("u1", 0)),
                    claim(node.grant("u2", 1)).toBuilder().setResourceHandle("{").build()))
            .getClaimsMap();

    assertThat(answer).containsOnlyKeys("u1", "u2");
    assertThat(entry(answer, "u1").getError()).contains("given back");
    assertThat(entry(answer, "u2").getError()).contains("handle");
    assertThat(preparer.held()).isEmpty();
  }

  @Test
  void line27KeepsWhatAnEarlierRequestPreparedWhenALaterOneFails() {
    var kubeletCalls = kubelet.v1alpha3(paths);
    kubeletCalls.nodePrepareResources(prepare(claim(node.grant("u1", 0))));

    Map<String, NodePrepareResourceResponse> answer =
        kubeletCalls
            .nodePrepareResources(
                prepare(
                    claim(node.grant("u1", 0)),
                    claim(node.grant("u2", 1)).toBuilder().setResourceHandle("").build()))
            .getClaimsMap();

    assertThat(entry(answer, "u1").getCdiDevicesList()).containsExactly(ID + "u1");
    assertThat(entry(answer, "u2").getError()).isNotEmpty();
    assertThat(preparer.held()).hasSize(1);
  }

  @Test
  void line27RefusesAClaimNamedTwice() {
    Map<String, NodePrepareResourceResponse> answer =
        kubelet
            .v1alpha3(paths)
            .nodePrepareResources(prepare(claim(node.grant("u1", 0)), claim(node.grant("u1", 1))))
            .getClaimsMap();

    assertThat(entry(answer, "u1").getError()).contains("twice");
    assertThat(preparer.held()).isEmpty();
  }

  @Test
  void line27TellsTheKindOfRefusalByTheStatusOfV1Alpha2() {
    var old = kubelet.v1alpha2(paths);
    var good = Kubelet.prepareV1Alpha2(node.grant("u1", 0));

    assertThatThrownBy(
            () -> old.nodePrepareResource(good.toBuilder().setResourceHandle("{}").build()))
        .satisfies(e -> assertThat(code(e)).isEqualTo(Status.Code.INVALID_ARGUMENT));
    faults.fail("setUp");
    assertThatThrownBy(() -> old.nodePrepareResource(good))
        .satisfies(e -> assertThat(code(e)).isEqualTo(Status.Code.INTERNAL));
    faults.clear();

    old.nodePrepareResource(good);
    old.nodeUnprepareResource(
        NodeUnprepareResourceRequest.newBuilder()
            .setClaimUid("u1")
            .setNamespace(good.getNamespace())
            .setClaimName(good.getClaimName())
            .build());
    assertThat(preparer.held()).isEmpty();
  }

  @Test
  void line28UnpreparesUnknownClaimsAndClaimsOfAnEarlierProcess() throws IOException {
    var first = kubelet.v1alpha3(paths);
    assertThat(first.nodeUnprepareResources(unprepare(claim(node.grant("u9", 0)))).getClaimsMap())
        .hasEntrySatisfying("u9", entry -> assertThat(entry.getError()).isEmpty());
    first.nodePrepareResources(prepare(claim(node.grant("u1", 0))));
    sockets.close();
    start(FakeNode.PATIENT);

    var second = kubelet.v1alpha3(paths);
    second.nodeUnprepareResources(unprepare(claim(node.grant("u1", 0))));

    assertThat(node.specs()).isEmpty();
    Map<String, NodePrepareResourceResponse> again =
        second.nodePrepareResources(prepare(claim(node.grant("u2", 0)))).getClaimsMap();
    assertThat(entry(again, "u2").getCdiDevicesList()).containsExactly(ID + "u2");
  }

  @Test
  void line29UndoesAPrepareWhoseCallerLeftInTheMiddle() throws Exception {
    CountDownLatch inSetUp = new CountDownLatch(1);
    CountDownLatch gone = new CountDownLatch(1);
    faults.on(
        "setUp",
        () -> {
          inSetUp.countDown();
          awaitLatch(gone);
        });
    var call =
        io.gpudra.kubeletplugin.proto.dra.v1alpha3.NodeGrpc.newFutureStub(kubelet.dial(paths.dra()))
            .nodePrepareResources(prepare(claim(node.grant("u1", 0, 1))));
    awaitLatch(inSetUp);

    call.cancel(true);
    gone.countDown();

    awaitNothingHeld();
    faults.clear();
    assertThat(node.specs()).isEmpty();
    assertThat(
            entry(
                    kubelet
                        .v1alpha3(paths)
                        .nodePrepareResources(prepare(claim(node.grant("u1", 0, 1))))
                        .getClaimsMap(),
                    "u1")
                .getCdiDevicesList())
        .containsExactly(ID + "u1");
  }

  private static void awaitLatch(CountDownLatch latch) throws IOException {
    try {
      assertThat(latch.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  @Test
  void line29UndoesAPrepareThatFinishesAfterTheDeadline() throws Exception {
    CountDownLatch late = new CountDownLatch(1);
    faults.on("write", () -> awaitLatch(late));

    assertThatThrownBy(
            () ->
                kubelet
                    .v1alpha3(paths)
                    .withDeadlineAfter(300, TimeUnit.MILLISECONDS)
                    .nodePrepareResources(prepare(claim(node.grant("u1", 0)))))
        .satisfies(e -> assertThat(code(e)).isEqualTo(Status.Code.DEADLINE_EXCEEDED));
    late.countDown();

    awaitNothingHeld();
  }

  @Test
  void line30UnprepareGetsThroughWhileEveryPrepareThreadWaits() throws Exception {
    kubelet.v1alpha3(paths).nodePrepareResources(prepare(claim(node.grant("holder", 0))));
    var waiting =
        io.gpudra.kubeletplugin.proto.dra.v1alpha3.NodeGrpc.newFutureStub(
            kubelet.dial(paths.dra()));
    var calls = ImmutableList.<Future<?>>builder();
    for (int i = 0; i < 40; i++) {
      calls.add(waiting.nodePrepareResources(prepare(claim(node.grant("waiter-" + i, 0)))));
    }

    kubelet.v1alpha3(paths).nodeUnprepareResources(unprepare(claim(node.grant("holder", 0))));

    Awaitility.await("one of the waiting calls takes over")
        .atMost(LIMIT)
        .until(
            () ->
                preparer.held().size() == 1
                    && !preparer.held().get(0).uid().equals(new ClaimUid("holder")));
    calls.build().forEach(call -> call.cancel(true));
  }

  @Test
  void line31ListsNoResources() {
    assertThatThrownBy(
            () ->
                kubelet
                    .v1alpha3(paths)
                    .nodeListAndWatchResources(
                        NodeListAndWatchResourcesRequest.getDefaultInstance())
                    .hasNext())
        .satisfies(e -> assertThat(code(e)).isEqualTo(Status.Code.UNIMPLEMENTED));
  }

  @Test
  void line32RefusesAStructuredHandle() {
    assertThat(
            entry(
                    kubelet
                        .v1alpha3(paths)
                        .nodePrepareResources(
                            prepare(Kubelet.structured(claim(node.grant("u1", 0)))))
                        .getClaimsMap(),
                    "u1")
                .getError())
        .contains("structured handle");
    assertThatThrownBy(
            () -> kubelet.v1alpha2(paths).nodePrepareResource(Kubelet.structuredV1Alpha2()))
        .hasMessageContaining("structured handle")
        .satisfies(e -> assertThat(code(e)).isEqualTo(Status.Code.INVALID_ARGUMENT));
    assertThat(preparer.held()).isEmpty();
  }

  @Test
  void makesRemovedSocketsAnewInOrder() throws IOException {
    Files.delete(paths.registration());
    sockets.restoreLost();
    assertThat(sockets.answer(Duration.ofSeconds(30))).isTrue();

    Files.delete(paths.dra());
    sockets.restoreLost();
    assertThat(sockets.answer(Duration.ofSeconds(30))).isTrue();

    sockets.restoreLost();
    assertThat(sockets.answer(Duration.ofSeconds(30))).isTrue();
  }

  @Test
  void namesTheSocketPathThatIsTooLong() {
    Path deep = Path.of("/" + "x".repeat(60));

    assertThatThrownBy(() -> SocketPaths.below(deep, FakeNode.DRIVER))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(deep + "/plugins")
        .hasMessageContaining("at most 107");
  }
}
