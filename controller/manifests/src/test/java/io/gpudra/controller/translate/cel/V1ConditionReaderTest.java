package io.gpudra.controller.translate.cel;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Splitter;
import io.gpudra.controller.gpu.cel.ConditionCompiler;
import io.gpudra.controller.translate.cel.V1ConditionReader.Selection;
import io.gpudra.controller.translate.cel.V1ConditionWriter.Devices;
import io.gpudra.controller.translate.cel.V1ConditionWriter.Written;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Selectors of later versions, and what is read in them. */
class V1ConditionReaderTest {
  private static final String DRIVER = "d";
  private static final ConditionCompiler COMPILER =
      new ConditionCompiler(DRIVER, new V1ConditionWriterTest.NoDevice());
  private static final V1ConditionReader READER = new V1ConditionReader(DRIVER, COMPILER);

  private static Selection read(String selectors) {
    return READER.read(Splitter.on(" ; ").trimResults().splitToList(selectors));
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = "=>",
      quoteCharacter = '`',
      textBlock =
          """
          device.driver == 'gpu.nvidia.com' && device.attributes['gpu.nvidia.com'].type == 'gpu' => {DRIVER=[d], TYPE=[gpu]}
          device.driver == "gpu.example.com"                                       => {DRIVER=[d]}
          device.driver == "tpu.example.com"                                       => {DRIVER=[tpu.example.com]}
          device.attributes["d"].type == "mig" ; device.attributes["d"].profile == "1g.5gb" => {TYPE=[mig], PROFILE=[1g.5gb]}
          device.attributes["d"].?profile.orValue("") == "1g.5gb"                  => {PROFILE=[1g.5gb]}
          has(device.attributes["d"].profile) && device.attributes["d"].profile == "1g.5gb" => {PROFILE=[1g.5gb]}
          device.attributes['gpu.nvidia.com'].migProfile == '3g.40gb'              => {PROFILE=[3g.40gb]}
          device.capacity["d"].nominalMemory.compareTo(quantity("40Gi")) >= 0      => {MEMORY=[40Gi]}
          device.attributes["d"].ecc && device.attributes["gpu.example.com"].bf16  => {CAPABILITY=[ecc, bf16]}
          device.attributes["d"].sharing == "MPS"                                  => {SHARING=[MPS]}
          """)
  void aPartIsAField(String selectors, String parts) {
    Selection selection = read(selectors);

    assertThat(selection.parts()).hasToString(parts);
    assertThat(selection.cel()).isEmpty();
    assertThat(selection.problems()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "device.capacity['memory'].compareTo(quantity('20Gi')) >= 0",
        "device.attributes['gpu.nvidia.com'].architecture   in ['Ampere']",
        "device.attributes['resource.kubernetes.io/pcieRoot'] == 'x'",
        "device.attributes['gpu.nvidia.com'].type == 'gpu' || device.attributes['d'].index == 1"
      })
  void aConditionOfTheSameMeaningKeepsItsLetters(String selector) {
    assertThat(read(selector).cel()).isEqualTo(selector);
    assertThat(read(selector).parts().isEmpty()).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = "=>",
      quoteCharacter = '`',
      textBlock =
          """
          device.attributes["gpu.example.com"].model == "x"        => device.model == "x"
          device.attributes["d"].?uuid.orValue("") != "x"          => device.uuid != "x"
          device.attributes["resource.kubernetes.io"].?numaNode.orValue(-1) == 0 => device.numaNode == 0
          device.attributes["d"].driverVersion.compareTo(semver("535.104.5")) >= 0 => device.driverVersion.compareTo(version("535.104.5")) >= 0
          device.capacity["d"].memory.compareTo(quantity("5")) > 0 => device.memory.compareTo(5) > 0
          device.attributes["d"].ecc || device.attributes["d"].nvlink => "ecc" in device.capabilities || "nvlink" in device.capabilities
          device.driver == "d" && device.attributes["d"].index == 1 => device.attributes["d"].index == 1
          device.attributes["d"].index == 1 ; device.attributes["d"].minor == 2 => device.attributes["d"].index == 1 && device.attributes["d"].minor == 2
          device.attributes["d"].index == 1 || device.attributes["d"].migEnabled ; device.attributes["d"].minor == 2 => (device.attributes["d"].index == 1 || device.attributes["d"].migEnabled) && device.attributes["d"].minor == 2
          device.capacity["d"].nominalMemory.compareTo(quantity("4Gi")) >= 0 ; device.capacity["d"].nominalMemory.compareTo(quantity("8Gi")) >= 0 => device.capacity["d"].nominalMemory.compareTo(quantity("8Gi")) >= 0
          """)
  void theRestIsSpelledAsItIsReadHere(String selectors, String cel) {
    assertThat(read(selectors).problems()).isEmpty();
    assertThat(read(selectors).cel()).isEqualTo(cel);
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = "=>",
      quoteCharacter = '`',
      textBlock =
          """
          device.attributes["d"].colour == "red"     => unknown device attribute "colour"
          device.attributes["d"].?uuid.hasValue()    => 23: unsupported syntax '.?'
          device.attributes["d"].?uuid.orValue("x") == "x" => 23: unsupported syntax '.?'
          device.attributes["other"].x == 1          => no device attribute of "other"
          device.attributes[                         => 19: mismatched input
          """)
  void aConditionThatHasNoMeaningHereIsToldInTheWordsOfTheCompiler(
      String selector, String problem) {
    Selection selection = read(selector);

    assertThat(selection.problems()).isNotEmpty();
    assertThat(selection.problems().get(0)).startsWith(problem);
    assertThat(selection.cel()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "device.driverVersion >= version('535.104.05')",
        "device.uuid == 'it\\'s' || device.memory > 5",
        "device.type != 'gpu' || device.index == 1",
        "device.numaNode == -1 && !('ecc' in device.capabilities)",
        "device.brand.matches(r'^x\\d$')"
      })
  void whatIsWrittenIsReadWithTheSameMeaning(String condition) {
    V1ConditionWriter writer = new V1ConditionWriter(DRIVER, DRIVER, COMPILER);
    String written = ((Written) writer.write(condition, Devices.ALL)).text();

    String read = READER.read(List.of(written)).cel();

    assertThat(((Written) writer.write(read, Devices.ALL)).text()).isEqualTo(written);
  }

  @Test
  void selectorsOfNothingSayNothing() {
    assertThat(READER.read(List.of()).cel()).isEmpty();
  }
}
