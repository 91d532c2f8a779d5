package io.gpudra.controller.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import org.junit.jupiter.api.Test;

class DashboardJsonTest {

  /** The page is fetched by programs, too. */
  @Test
  void textOfTheClusterMovesNoCursor() {
    assertThat(DashboardJson.text(ImmutableMap.of("name", "a\u009b2J")))
        .isEqualTo("{\"name\":\"a\\u009b2J\"}");
  }
}
