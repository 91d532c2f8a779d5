package io.gpudra.kubeletplugin.device.nvidia;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.kubeletplugin.device.nvidia.Xid.Action;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What NVIDIA's catalogue asks for. */
class XidTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          8   | RESTART_APPLICATION | claims come on | pods stay
          11  | RESTART_APPLICATION | claims come on | pods stay
          13  | RESTART_APPLICATION | claims come on | pods stay
          31  | RESTART_APPLICATION | claims come on | pods stay
          32  | RESTART_APPLICATION | claims come on | pods stay
          38  | IGNORE              | claims come on | pods stay
          41  | RESTART_APPLICATION | claims come on | pods stay
          43  | RESTART_APPLICATION | claims come on | pods stay
          45  | IGNORE              | claims come on | pods stay
          46  | RESET_GPU           | none comes     | pods leave
          48  | RESET_GPU           | none comes     | pods leave
          62  | RESET_GPU           | none comes     | pods leave
          63  | IGNORE              | claims come on | pods stay
          64  | RESET_GPU           | none comes     | pods leave
          68  | RESTART_APPLICATION | claims come on | pods stay
          69  | RESTART_APPLICATION | claims come on | pods stay
          74  | RESET_GPU           | none comes     | pods leave
          79  | RESTART_NODE        | none comes     | pods leave
          92  | IGNORE              | claims come on | pods stay
          94  | CONTAINED           | claims come on | pods stay
          95  | RESET_GPU           | none comes     | pods leave
          109 | RESET_GPU           | none comes     | pods leave
          119 | RESET_GPU           | none comes     | pods leave
          120 | RESET_GPU           | none comes     | pods leave
          135 | RESTART_APPLICATION | claims come on | pods stay
          140 | RESET_GPU           | none comes     | pods leave
          154 | IGNORE              | claims come on | pods stay
          156 | RESET_GPU           | none comes     | pods leave
          158 | RESET_GPU           | none comes     | pods leave
          160 | IGNORE              | claims come on | pods stay
          162 | IGNORE              | claims come on | pods stay
          163 | IGNORE              | claims come on | pods stay
          144 | UNKNOWN             | none comes     | pods stay
          999 | UNKNOWN             | none comes     | pods stay
          """)
  void anErrorCallsForAnAction(int number, Action action, String claims, String pods) {
    Xid xid = Xid.of(number);

    assertThat(xid.action()).isEqualTo(action);
    assertThat(xid.action().taints() ? "none comes" : "claims come on").isEqualTo(claims);
    assertThat(xid.action().evicts() ? "pods leave" : "pods stay").isEqualTo(pods);
  }

  @Test
  void oneThatIsNotInTheCatalogueHasNoName() {
    assertThat(Xid.of(79).text()).isEqualTo("XID 79 (fell off the bus)");
    assertThat(Xid.of(999).text()).isEqualTo("XID 999");
  }
}
