package io.gpudra.controller.client.watch;

import static io.gpudra.controller.client.ScriptedServer.lines;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.codahale.metrics.MetricRegistry;
import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.client.ScriptedServer;
import io.gpudra.controller.client.ScriptedServer.Call;
import io.gpudra.controller.client.ScriptedServer.Reply;
import io.gpudra.controller.client.watch.ObjectCache.Kept;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** An informer of config maps, its server, and what its listener is told. */
abstract class InformerCase {
  static final Duration LIMIT = Duration.ofSeconds(60);

  final BlockingQueue<String> events = new LinkedBlockingQueue<>();
  final ConcurrentLinkedQueue<Reply> watches = new ConcurrentLinkedQueue<>();
  final ConcurrentLinkedQueue<Reply> lists = new ConcurrentLinkedQueue<>();
  final List<String> told = new CopyOnWriteArrayList<>();
  final List<String> complete = new CopyOnWriteArrayList<>();
  final List<MalformedObject> malformed = new CopyOnWriteArrayList<>();
  final ObjectCache<String> cache = new ObjectCache<>(value -> List.of("value/" + value));
  final MetricRegistry metrics = new MetricRegistry();

  /** Name of an object of which the listener does not want to hear, the first time. */
  volatile String failsAt = "";

  ScriptedServer server;
  HttpClients http;
  Informer<V1ConfigMap, String> informer;

  @BeforeEach
  void start() throws IOException {
    server = new ScriptedServer(this::reply);
    http = server.client();
    informer = informer(new Telling());
  }

  Informer<V1ConfigMap, String> informer(CacheListener<String> listener) {
    return new Informer<>(http, kind(), cache, listener, malformed::add, metrics);
  }

  /** The objects of which the listener is told. */
  WatchedKind<V1ConfigMap, String> kind() {
    return new WatchedKind<>(
        "/api/v1/configmaps",
        "v1",
        "ConfigMap",
        FieldFilter.of("data"),
        V1ConfigMap.class,
        InformerCase::value);
  }

  @AfterEach
  void stop() {
    informer.close();
    http.close();
    server.close();
  }

  Reply reply(Call call) {
    Reply scripted = call.watch() ? watches.poll() : lists.poll();
    return scripted == null ? lines(events) : scripted;
  }

  List<Map<String, String>> watched() {
    return server.calls().stream().filter(Call::watch).map(Call::query).toList();
  }

  void awaitTold(String... expected) {
    await()
        .atMost(LIMIT)
        .untilAsserted(() -> assertThat(told).containsSubsequence(List.of(expected)));
  }

  private static String value(V1ConfigMap map) {
    return Objects.requireNonNull(map.getData().get("v"));
  }

  static Kept<String> kept(String name, long version, String value) {
    return new Kept<>("ns/" + name, "uid-" + name, String.valueOf(version), value);
  }

  static String object(String name, long version, String value) {
    return "{\"brandNew\":{\"x\":1},\"metadata\":{\"namespace\":\"ns\",\"name\":\"%s\",\"uid\":\"uid-%s\",\"resourceVersion\":\"%d\",\"managedFields\":[{}]},\"data\":{\"v\":\"%s\"}}"
        .formatted(name, name, version, value);
  }

  static String list(long version, String... items) {
    return "{\"kind\":\"ConfigMapList\",\"metadata\":{\"resourceVersion\":\"%d\"},\"items\":[%s]}"
        .formatted(version, String.join(",", items));
  }

  static String event(String type, String object) {
    return "{\"type\":\"" + type + "\",\"object\":" + object + "}";
  }

  private final class Telling implements CacheListener<String> {
    @Override
    public void changed(Kept<String> now) {
      if (now.key().equals("ns/" + failsAt)) {
        failsAt = "";
        throw new UnsupportedOperationException("thrown on purpose");
      }
      told.add("+" + now.key().substring(3) + "=" + now.value());
    }

    @Override
    public void gone(Kept<String> last) {
      told.add("-" + last.key().substring(3) + "=" + last.value());
    }

    @Override
    public void listed(String resourceVersion) {
      told.add("listed " + resourceVersion);
      complete.add(cache.position());
    }
  }
}
