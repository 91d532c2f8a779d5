package io.gpudra.crds.model.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.crds.api.parameters.GpuClassParametersSpec;
import io.gpudra.crds.model.node.DeviceAttribute.Scope;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class DeviceAttributeTest {

  @Test
  void eachHasANameOfItsOwn() {
    assertThat(DeviceAttribute.shortNames()).doesNotHaveDuplicates();
    assertThat(DeviceAttribute.values())
        .allSatisfy(one -> assertThat(DeviceAttribute.named(one.variable())).contains(one));
  }

  @Test
  void theUuidOfTheGpuOfAMigDeviceIsForbiddenWithItsOwn() {
    assertThat(DeviceAttribute.PARENT_UUID.forbiddenAs()).isEqualTo("uuid");
    assertThat(DeviceAttribute.PCIE_BUS_ID.forbiddenAs()).isEqualTo("pcieBusID");
  }

  /** Minor numbers are few, and each node has the same. */
  @Test
  void aClassCanForbidWhateverTellsOneDeviceFromAllOthers() {
    assertThat(Arrays.stream(DeviceAttribute.values()))
        .filteredOn(one -> one.scope() == Scope.DEVICE && one != DeviceAttribute.MINOR)
        .extracting(DeviceAttribute::forbiddenAs)
        .isSubsetOf(GpuClassParametersSpec.FORBIDDABLE);
  }

  @Test
  void aNodeHasManyNamesOfDevicesButFewMinorNumbers() {
    assertThat(Arrays.stream(DeviceAttribute.values()).filter(DeviceAttribute::hasManyValues))
        .containsExactly(
            DeviceAttribute.NAME,
            DeviceAttribute.UUID,
            DeviceAttribute.PCIE_BUS_ID,
            DeviceAttribute.PARENT_UUID,
            DeviceAttribute.NODE);
  }
}
