package io.gpudra.kubeletplugin.device.nvml;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.sun.jna.Function;
import com.sun.jna.NativeLibrary;
import io.gpudra.kubeletplugin.testing.Stubs;
import io.gpudra.stubdriver.StubDriver;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NvmlStructLayoutTest {

  @TempDir Path directory = Path.of("");

  @Test
  void structsLieAsACompilerLaysThemOut() {
    StubDriver stub =
        Stubs.driver(directory, StubDriver.NEWEST, ImmutableList.of(), ImmutableList.of());
    Function layout =
        NativeLibrary.getInstance(stub.library().toString(), Nvml.LOCAL).getFunction("stubLayout");

    assertThat(NvmlStructLayout.ALL)
        .allSatisfy(
            struct -> {
              assertThat(layout.invokeInt(new Object[] {struct.type(), ""}))
                  .isEqualTo(struct.size());
              assertThat(struct.fields())
                  .allSatisfy(
                      (field, at) ->
                          assertThat(layout.invokeInt(new Object[] {struct.type(), field}))
                              .as(field)
                              .isEqualTo(at));
            });
  }

  @Test
  void aVersionStandsAboveTheSize() {
    assertThat(NvmlStructLayout.GPU_INSTANCE_PROFILE_V2.tag()).isEqualTo(0x02000098);
  }
}
