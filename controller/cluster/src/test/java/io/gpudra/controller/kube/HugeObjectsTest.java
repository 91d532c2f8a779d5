package io.gpudra.controller.kube;

import static io.gpudra.controller.client.ScriptedServer.lines;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.codahale.metrics.MetricRegistry;
import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.client.ScriptedServer;
import io.gpudra.controller.client.ScriptedServer.Call;
import io.gpudra.controller.client.ScriptedServer.Reply;
import io.gpudra.controller.client.watch.CacheListener;
import io.gpudra.controller.client.watch.Informer;
import io.gpudra.controller.client.watch.ObjectCache;
import io.gpudra.controller.client.watch.ObjectCache.Kept;
import io.gpudra.controller.client.watch.WatchedKind;
import io.gpudra.controller.kube.mapping.CachedParameters;
import io.gpudra.controller.kube.mapping.ClaimJson;
import io.gpudra.controller.kube.mapping.ResourceKinds;
import io.gpudra.controller.memory.LiveHeap;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Anybody may fill the objects that the controller watches, up to a megabyte and in all places that
 * the server does not check. The server streams them here, so that this process never has them.
 */
class HugeObjectsTest {
  private static final int KIB = 1024;
  private static final int MIB = 1024 * KIB;
  private static final int CLAIMS = 2_000;
  private static final int OTHERS = 100;
  private static final String TAIL = "x".repeat(200);
  private static final Duration LIMIT = Duration.ofMinutes(5);

  /** Where a tenant can put text: the rest of an object after its names. */
  private static Stream<String> places() {
    return Stream.of(
        ",'labels':{FILL}},'spec':{}",
        ",'annotations':{FILL}},'spec':{}",
        ",'finalizers':[LIST]},'spec':{}",
        ",'ownerReferences':[{'controller':true,'uid':'LONG'}]},'spec':{}",
        ",'managedFields':[{'fieldsV1':{FILL}}]},'spec':{}",
        "},'spec':{'parametersRef':{'apiGroup':'LONG','kind':'LONG','name':'LONG'}}");
  }

  static Stream<WatchedKind<?, ?>> kinds() {
    return Stream.of(
        ResourceKinds.claims(ClaimJson.MAPPING::keep),
        ResourceKinds.contexts(),
        ResourceKinds.classes(),
        ResourceKinds.claimParameters(),
        ResourceKinds.classParameters(),
        ResourceKinds.inventories(),
        ResourceKinds.namespaces(),
        ResourceKinds.nodes(),
        ResourceKinds.pods("gpu.example.com"));
  }

  @Test
  void twoThousandClaimsOf256KibCostFewMegabytes() throws IOException {
    String[] places = places().toArray(String[]::new);
    assertThat(liveBytes(ResourceKinds.claims(ClaimJson.MAPPING::keep), CLAIMS, places))
        .isLessThan(16L * MIB);
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void labelsOfNoKindAreKept(WatchedKind<?, ?> kind) throws IOException {
    assertThat(liveBytes(kind, OTHERS, ",'labels':{FILL}},'spec':{},'status':{}"))
        .isLessThan(4L * MIB);
  }

  @Test
  void thousandsOfNamespacesShareTheirLabels() throws IOException {
    String usual =
        ",'labels':{'kubernetes.io/metadata.name':'team','example.com/owner':'a-team',"
            + "'pod-security.kubernetes.io/enforce':'baseline',"
            + "'pod-security.kubernetes.io/enforce-version':'latest',"
            + "'pod-security.kubernetes.io/warn':'restricted',"
            + "'pod-security.kubernetes.io/audit':'restricted'}}";
    assertThat(liveBytes(ResourceKinds.namespaces(), 5_000, usual)).isLessThan(4L * MIB);
  }

  @Test
  void thousandsOfNodesKeepTheirSizeInLittle() throws IOException {
    String usual =
        "},'status':{'allocatable':{'cpu':'63770m',"
            + "'ephemeral-storage':'95491281146','hugepages-1Gi':'0','hugepages-2Mi':'0',"
            + "'memory':'515860Mi','nvidia.com/gpu':'8','pods':'250'}}";
    assertThat(liveBytes(ResourceKinds.nodes(), 5_000, usual)).isLessThan(8L * MIB);
  }

  @Test
  void ofTheConditionsOfPodsOnlyTheBeginningOfARefusalIsKept() throws IOException {
    WatchedKind<?, ?> pods = ResourceKinds.podViews(30, "gpu.example.com");
    String others =
        "},'spec':{'nodeName':'worker-1','schedulerName':'default-scheduler'},"
            + "'status':{'phase':'Running','conditions':[";
    String usual =
        Stream.of("Initialized", "Ready", "ContainersReady", "PodScheduled")
            .map("{'type':'%s','status':'True','message':'as it should be'}"::formatted)
            .collect(Collectors.joining(","));
    assertThat(liveBytes(pods, 5_000, others + usual + "]}"))
        .isLessThan(liveBytes(pods, 5_000, others + "]}") + MIB);

    String refused =
        "},'spec':{},'status':{'conditions':[{'type':'PodScheduled','reason':'Unschedulable',"
            + "'message':'LONG'}]}";
    assertThat(liveBytes(pods, OTHERS, refused)).isLessThan(MIB);
  }

  @Test
  void ofAValueThatCannotBeReadTheBeginningIsKept() throws IOException {
    String place = "},'spec':{'count':'LONG'}";
    assertThat(liveBytes(ResourceKinds.claimParameters(), OTHERS, place)).isLessThan(4L * MIB);
  }

  @Test
  void ofAStatusThatWasFoundOutOnlyItsDigestIsKept() throws IOException {
    String place =
        "},'spec':{},'status':{'summary':'LONG','conditions':[{'type':'Valid','message':'LONG'}]}";
    assertThat(liveBytes(ResourceKinds.claimParameters(CachedParameters::of), OTHERS, place))
        .isLessThan(4L * MIB);
    assertThat(liveBytes(ResourceKinds.claimParameters(), OTHERS, place)).isLessThan(4L * MIB);
  }

  private static <T, V> long liveBytes(WatchedKind<T, V> kind, int count, String... places)
      throws IOException {
    ObjectCache<V> cache = new ObjectCache<>();
    LinkedBlockingQueue<String> never = new LinkedBlockingQueue<>();
    try (ScriptedServer server =
            new ScriptedServer(call -> call.watch() ? lines(never) : list(call, count, places));
        HttpClients http = server.client();
        Informer<T, V> informer =
            new Informer<>(http, kind, cache, new Nobody<>(), bad -> {}, new MetricRegistry())) {
      long before = LiveHeap.bytes();
      informer.start();
      await().atMost(LIMIT).until(informer::synced);
      long after = LiveHeap.bytes();
      assertThat(cache.size()).isEqualTo(count);
      return after - before;
    }
  }

  private static Reply list(Call call, int count, String... places) {
    byte[][] filled = Stream.of(places).map(HugeObjectsTest::filled).toArray(byte[][]::new);
    return exchange -> {
      assertThat(call.method()).isEqualTo("GET");
      exchange.sendResponseHeaders(200, 0);
      try (OutputStream out = exchange.getResponseBody()) {
        out.write(json("{'metadata':{'resourceVersion':'9'},'items':["));
        for (int i = 0; i < count; i++) {
          String names = "{'metadata':{'namespace':'ns','name':'o%d','uid':'u%d',";
          out.write(json((i == 0 ? "" : ",") + names.formatted(i, i)));
          out.write(filled[i % filled.length]);
        }
        out.write(json("]}"));
      }
    };
  }

  private static byte[] filled(String place) {
    return json(
        "'resourceVersion':'1'"
            + place
                .replace("FILL", many("'example.com/%d':'" + TAIL + "'"))
                .replace("LIST", many("'example.com/" + TAIL + "-%d'"))
                .replace("LONG", "x".repeat(256 * KIB))
            + "}");
  }

  private static String many(String entry) {
    return IntStream.range(0, 256 * KIB / TAIL.length())
        .mapToObj(entry::formatted)
        .collect(Collectors.joining(","));
  }

  private static byte[] json(String text) {
    return text.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
  }

  private static final class Nobody<V> implements CacheListener<V> {
    @Override
    public void changed(Kept<V> now) {}

    @Override
    public void gone(Kept<V> last) {}
  }
}
