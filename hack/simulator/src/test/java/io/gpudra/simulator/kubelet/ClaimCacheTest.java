package io.gpudra.simulator.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.simulator.kubelet.ClaimInfo.ClaimKey;
import org.junit.jupiter.api.Test;

class ClaimCacheTest {
  private static final ClaimKey KEY = ClaimKey.of("c", "default");

  @Test
  void ofTwoPodsThatEndTogetherOneIsTheLast() {
    ImmutableSet<String> pods = ImmutableSet.of("a", "b");
    for (int i = 0; i < 20_000; i++) {
      ClaimCache cache = new ClaimCache();
      cache.put(new ClaimInfo(KEY, "uid", ImmutableList.of(), ImmutableMap.of(), pods, true));
      assertThat(pods.parallelStream().filter(pod -> cache.lastUse(KEY, pod).isPresent()).count())
          .isEqualTo(1);
    }
  }
}
