package io.gpudra.scenarios.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSetMultimap;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class HolderWatchTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final String CLAIM =
      """
      {"metadata": {"namespace": "ns", "name": "%s"},
       "status": {"driverName": "gpu.resource.example.com", "allocation": {"resourceHandles": [
         {"data": "{\\"devices\\":[{\\"uuid\\":\\"GPU-%s\\"}]}"}]}}}""";

  @Test
  void aGpuThatTwoClaimsNameIsToldAndStaysTold() throws Exception {
    var shared = ImmutableList.of(claim("a", "0"), claim("b", "1"), claim("c", "0"));
    AtomicInteger looks = new AtomicInteger();
    HolderWatch watch =
        HolderWatch.start(
            () ->
                looks.getAndIncrement() == 0
                    ? HolderWatch.grants(shared)
                    : ImmutableSetMultimap.<String, String>of(),
            Duration.ofMillis(1));
    await().atMost(LIMIT).until(() -> looks.get() > 2);
    watch.stop();
    assertThat(watch.shared()).hasSize(1).first().asString().contains("GPU-0", "ns/a", "ns/c");
  }

  @Test
  void claimsOfOtherDriversAreNotRead() throws Exception {
    String handle = "{\"data\": \"not ours\"}";
    String status =
        "{\"driverName\": \"nic.example.com\", \"allocation\": {\"resourceHandles\": [%s]}}";
    JsonNode claim =
        new JsonMapper().readTree("{\"status\": %s}".formatted(status.formatted(handle)));
    assertThat(HolderWatch.grants(ImmutableList.of(claim)).isEmpty()).isTrue();
  }

  @Test
  void whoCannotLookSaysSo() throws Exception {
    HolderWatch watch =
        HolderWatch.start(
            () -> {
              throw new IllegalStateException("blind");
            },
            Duration.ofMillis(1));
    await().atMost(LIMIT).until(() -> !watch.shared().isEmpty());
    watch.stop();
    assertThat(watch.shared()).first().asString().contains("cannot look", "blind");
  }

  private static JsonNode claim(String name, String gpu) throws Exception {
    return new JsonMapper().readTree(CLAIM.formatted(name, gpu));
  }
}
