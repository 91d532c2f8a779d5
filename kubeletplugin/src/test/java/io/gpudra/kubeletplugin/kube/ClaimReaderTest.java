package io.gpudra.kubeletplugin.kube;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableSet;
import com.sun.management.ThreadMXBean;
import io.gpudra.crds.handle.HandleCodec;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.kubeletplugin.prepare.LiveGrant;
import io.gpudra.kubeletplugin.testing.FakeApi;
import io.gpudra.kubeletplugin.testing.FakeNode;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClaimReaderTest {

  private static final ClaimRef CLAIM = new ClaimRef("team-a", "c");
  private static final ClaimUid UID = new ClaimUid("u1");
  private static final String PATH =
      "/apis/resource.k8s.io/v1alpha2/namespaces/team-a/resourceclaims/c";

  @TempDir Path directory = Path.of("");

  private FakeApi api;
  private Grant grant;
  private ClaimReader reader;

  @BeforeEach
  void connect() throws IOException {
    api = new FakeApi();
    grant = new FakeNode(directory).grant("u1", 0);
    reader = new ClaimReader(KubeApi.open(Optional.of(api.kubeconfig(directory))), FakeNode.DRIVER);
  }

  @AfterEach
  void disconnect() {
    api.close();
  }

  private String status(String handles, String consumers) {
    return """
    {"driverName":"%s","allocation":{"resourceHandles":[%s],"shareable":true,
    "availableOnNodes":{"nodeSelectorTerms":[]}},"reservedFor":[%s]}
    """
        .formatted(FakeNode.DRIVER, handles, consumers);
  }

  private static String handle(String driver, String data) {
    return "{\"driverName\":\"%s\",\"data\":\"%s\"}".formatted(driver, data.replace("\"", "\\\""));
  }

  private String ours() {
    return handle(FakeNode.DRIVER, HandleCodec.encode(grant));
  }

  @Test
  void readsTheGrantOfThisDriverAndWhetherItIsReserved() throws IOException {
    String others = handle("net.example.com", "x");
    api.put(PATH, "u1", status(others + "," + ours(), "{\"uid\":\"p\"}"));
    assertThat(reader.of(CLAIM)).isEqualTo(new LiveGrant.Granted(UID, grant, ImmutableSet.of("p")));

    api.put(PATH, "u1", status(ours(), ""));
    assertThat(reader.of(CLAIM)).isEqualTo(new LiveGrant.Granted(UID, grant, ImmutableSet.of()));

    api.put(PATH, "u1", status("{\"data\":" + jsonText(HandleCodec.encode(grant)) + "}", ""));
    assertThat(reader.of(CLAIM)).as("the claim's driver").isInstanceOf(LiveGrant.Granted.class);
  }

  private static String jsonText(String text) {
    return "\"" + text.replace("\"", "\\\"") + "\"";
  }

  @Test
  void saysWhatAClaimLacks() throws IOException {
    assertThat(reader.of(CLAIM)).isEqualTo(new LiveGrant.Gone());
    api.put(PATH, "u1");
    assertThat(reader.of(CLAIM))
        .isEqualTo(new LiveGrant.NotGranted(UID, "it has 0 handles of this driver"));
    api.put(PATH, "u1", status(ours() + "," + ours(), ""));
    assertThat(reader.of(CLAIM))
        .isEqualTo(new LiveGrant.NotGranted(UID, "it has 2 handles of this driver"));
    api.put(PATH, "u1", status(handle(FakeNode.DRIVER, "{\"v\":2}"), ""));
    assertThat(reader.of(CLAIM))
        .isEqualTo(new LiveGrant.NotGranted(UID, "its handle is unreadable"));
    api.put(PATH, "u1", status(handle(FakeNode.DRIVER, "x".repeat(16_385)), ""));
    assertThat(reader.of(CLAIM)).isEqualTo(new LiveGrant.NotGranted(UID, "its handle is too long"));
  }

  @Test
  void askingAgainHelpsOnlyWhenThereWasNoAnswer() {
    api.failNext(1);
    assertThat(reader.of(CLAIM)).isInstanceOf(LiveGrant.NoAnswer.class);
    api.putLarge(PATH, "u1", "\"labels\":{%s}".formatted(labels(140_000)));
    assertThat(reader.of(CLAIM)).isInstanceOf(LiveGrant.Unreadable.class);
    assertThat(reader.of(CLAIM).problem(UID)).contains(PATH, "more than the 4194304 bytes");
  }

  /** A newer server lacks the API's version, while kubelets go on. */
  @Test
  void noClaimIsGoneWhereNoneIsServed() throws IOException {
    api.put(PATH, "u1", status(ours(), ""));
    api.serveNothing();
    assertThat(reader.of(CLAIM)).isInstanceOf(LiveGrant.NoAnswer.class);
  }

  private static String labels(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> "\"a-label-of-some-length-%06d\":\"x\"".formatted(i))
        .collect(Collectors.joining(","));
  }

  /** A plugin has 28 MiB for everything; anybody may write such a claim. */
  @Test
  void aClaimOfAMegabyteAndAHalfCostsLittleMemory() {
    String annotation = "\"annotations\":{\"a\":\"" + "<".repeat(260_000) + "\"}";
    api.putLarge(PATH, "u1", annotation + ",\"labels\":{%s}".formatted(labels(40_000)));
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    reader.of(CLAIM);

    long before = threads.getCurrentThreadAllocatedBytes();
    LiveGrant read = reader.of(CLAIM);
    long allocated = threads.getCurrentThreadAllocatedBytes() - before;

    assertThat(read).isEqualTo(new LiveGrant.NotGranted(UID, "it has 0 handles of this driver"));
    assertThat(allocated).isLessThan(6 << 20);
  }
}
