package io.gpudra.crds.model.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.crds.model.node.AttributeValues.Value;
import org.junit.jupiter.api.Test;

class AttributeValuesTest {
  private static final ImmutableMap<String, String> WRITTEN =
      ImmutableMap.of("pcieDeviceID", "20b2");

  private static AttributeValues board(String id) {
    return AttributeValues.parse(ImmutableMap.of("pcieDeviceID", id));
  }

  @Test
  void whatIsUnknownIsLeftOut() {
    assertThat(board("")).isSameAs(AttributeValues.NONE);
    assertThat(AttributeValues.NONE.get(DeviceAttribute.PCIE_DEVICE_ID)).isEqualTo("");
    assertThat(AttributeValues.parse(null)).isSameAs(AttributeValues.NONE);
  }

  @Test
  void whatIsWrittenIsReadEqually() {
    assertThat(board("20b2").texts()).isEqualTo(WRITTEN);
    assertThat(AttributeValues.parse(WRITTEN).get(DeviceAttribute.PCIE_DEVICE_ID))
        .isEqualTo("20b2");
  }

  /** A cluster has 40,000 GPUs, and few kinds of them. */
  @Test
  void equalGpusShareOneObject() {
    assertThat(AttributeValues.parse(WRITTEN)).isSameAs(board("20b2")).isNotEqualTo(board("20b5"));
  }

  @Test
  void namesOfANewerPluginAndOfOtherFieldsAreSkipped() {
    ImmutableMap<String, String> more =
        ImmutableMap.of("colour", "green", "uuid", "GPU-9", "pcieDeviceID", "20b2");

    assertThat(AttributeValues.parse(more)).isEqualTo(board("20b2"));
  }

  @Test
  void nodesThatLookAlikeMayHaveOtherIdentities() {
    ImmutableList<Value> all =
        ImmutableList.of(
            new Value(DeviceAttribute.UUID, "GPU-9"),
            new Value(DeviceAttribute.PCIE_DEVICE_ID, "20b2"));

    assertThat(new AttributeValues(all).anonymous()).isEqualTo(board("20b2"));
  }

  @Test
  void eachTypeReadsWhatItWrites() {
    assertThat(DeviceAttribute.Type.TEXT.parse("a")).contains("a");
    assertThat(DeviceAttribute.Type.VERSION.parse("8.0")).contains("8.0");
    assertThat(DeviceAttribute.Type.INT.parse("-7")).contains(-7L);
    assertThat(DeviceAttribute.Type.INT.parse("seven")).isEmpty();
    assertThat(DeviceAttribute.Type.BOOL.parse("true")).contains(true);
    assertThat(DeviceAttribute.Type.TEXTS.parse("[a]")).isEmpty();
    assertThat(DeviceAttribute.Type.TEXTS.unknown()).isEqualTo(ImmutableList.of());
  }
}
