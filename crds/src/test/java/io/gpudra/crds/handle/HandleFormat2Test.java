package io.gpudra.crds.handle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.SharingStrategy;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.IntFunction;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HandleFormat2Test {

  private static final String UUID = "GPU-6af613b6-569c-5c22-9c37-2ed93f31d3af";

  private static final String HANDLE =
      "{\"v\":2,\"claim\":\"7d0c\",\"node\":\"worker-1\",\"epoch\":3,"
          + "\"at\":\"2026-11-21T08:00:00Z\",\"mode\":\"shared\",\"devices\":["
          + "{\"name\":\"a\",\"parent\":\"GPU-0\",\"profile\":\"2g.10gb\",\"at\":[2,2],"
          + "\"compute\":2,\"ci\":[0,1],\"pinned\":\"4Gi\",\"existing\":true,\"inside\":\"u\"},"
          + "{\"name\":\"b\",\"uuid\":\"GPU-1\",\"memory\":\"4Gi\",\"millicores\":500,"
          + "\"sharing\":1,\"overcommit\":150,\"held\":true,\"request\":\"r\"}],"
          + "\"sharing\":[{\"strategy\":\"MPS\",\"threads\":50},"
          + "{\"strategy\":\"TimeSlicing\",\"interval\":\"Long\"}]}";

  @Test
  void theHandleThatIsDamagedBelowIsGood() {
    assertThat(HandleCodec.decode(HANDLE)).isInstanceOf(DecodedHandle.Decoded.class);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "\"shared\" | \"exclusive\" | mode: must be shared or monitor",
        "\"shared\" | {} | mode: Required value",
        "\"2g.10gb\" | \"\" | devices[0].profile: Required value",
        "\"2g.10gb\" | [] | devices[0].profile: wrong type",
        "\"parent\" | \"uuid\" | devices[0].parent: Required value",
        "\"GPU-0\" | true | devices[0].parent: wrong type",
        "[2,2] | [2] | devices[0].at: Invalid value: [2]: must be two numbers, start and size",
        "[2,2] | [2,null] | devices[0].at: Invalid value: [2, null]: must be two numbers, start and size",
        "[2,2] | \"2\" | devices[0].at: wrong type",
        "[2,2] | [\"2\",2] | devices[0].at: wrong type",
        "[2,2] | [2.5,2] | devices[0].at: wrong type",
        "[2,2] | [1e999999999,2] | devices[0].at: wrong type",
        "[2,2] | [99999999999999999999,2] | devices[0].at: wrong type",
        "[2,2] | [-1,2] | devices[0].at: Invalid value: -1: must be 0 to 64",
        "[2,2] | [2,0] | devices[0].at: Invalid value: 0: must be 1 to 64",
        "[2,2] | [64,1] | devices[0].at: Invalid value: 65: must be 1 to 64",
        "[2,2] | [2147483647,2] | devices[0].at: Invalid value: 2147483647: must be 0 to 64",
        "\"compute\":2 | \"x\":2 | devices[0].compute: Required value",
        "\"compute\":2 | \"compute\":0 | devices[0].compute: Invalid value: 0: must be 1 to 64",
        "[0,1] | [0,0] | devices[0].ci: Invalid value: 0: must be 1 to 64",
        "\"pinned\":\"4Gi\" | \"pinned\":\"4\" | devices[0].pinned: Invalid value: 4: write a size with a unit, such as 16Gi or 512Mi",
        "\"existing\":true | \"existing\":1 | devices[0].existing: wrong type",
        "\"inside\":\"u\" | \"inside\":\"\" | devices[0].inside: Required value",
        "\"memory\":\"4Gi\" | \"memory\":\"0.0000001M\" | devices[1].memory: Invalid value: 0.0000001M: write a size with a unit, such as 16Gi or 512Mi",
        "\"memory\":\"4Gi\" | \"memory\":4 | devices[1].memory: wrong type",
        "500 | 1001 | devices[1].millicores: Invalid value: 1001: must be 0 to 1000",
        "500 | -1 | devices[1].millicores: Invalid value: -1: must be 0 to 1000",
        "\"sharing\":1 | \"sharing\":2 | devices[1].sharing: Invalid value: 2: must be 0 to 1",
        "\"sharing\":1 | \"sharing\":-1 | devices[1].sharing: Invalid value: -1: must be 0 to 1",
        "150 | 99 | devices[1].overcommit: Invalid value: 99: must be 100 to 400",
        "150 | 401 | devices[1].overcommit: Invalid value: 401: must be 100 to 400",
        "\"held\":true | \"held\":\"true\" | devices[1].held: wrong type",
        "\"sharing\":[ | \"sharing\":{},\"x\":[ | sharing: must be a list",
        "\"sharing\":[ | \"sharing\":[null, | sharing[0]: must be an object",
        "\"sharing\":[ | \"sharing\":[],\"x\":[ | devices[1].sharing: Invalid value: 1: must be 0 to -1",
        "\"MPS\" | \"Mps\" | devices[0].strategy: Unsupported value: \"Mps\": supported values: TimeSlicing, MPS, SpacePartitioning",
        "\"threads\":50 | \"threads\":101 | devices[0].threads: Invalid value: 101: must be 1 to 100",
        "\"Long\" | \"long\" | devices[1].interval: Unsupported value: \"long\": supported values: Default, Short, Medium, Long",
        "\"TimeSlicing\",\"interval\":\"Long\" | \"SpacePartitioning\" | devices[1].parts: Required value",
        "\"TimeSlicing\",\"interval\":\"Long\" | \"SpacePartitioning\",\"parts\":65 | devices[1].parts: Invalid value: 65: must be 1 to 64",
      })
  void whatCannotBeIsUnreadableAndNamed(String good, String bad, String problem) {
    assertThat(HANDLE).contains(good);

    assertThat(HandleCodec.decode(HANDLE.replaceFirst(Pattern.quote(good), bad)))
        .isEqualTo(new DecodedHandle.Unreadable("handle: " + problem));
  }

  @Test
  void theWordsOfStrangersAreCut() {
    String endless = HANDLE.replace("\"Long\"", "\"" + "x".repeat(100_000) + "\"");

    assertThat(((DecodedHandle.Unreadable) HandleCodec.decode(endless)).problem())
        .hasSizeLessThan(300);
  }

  @ParameterizedTest
  @ValueSource(strings = {"devices", "sharing", "later"})
  void depthIsNoDanger(String key) {
    String deep = HANDLE.replace("\"" + key + "\":[", "\"x\":[");
    String nested = "[".repeat(100_000) + "]".repeat(100_000);

    assertThat(
            HandleCodec.decode(
                deep.substring(0, deep.length() - 1) + ",\"" + key + "\":" + nested + "}"))
        .isEqualTo(new DecodedHandle.Unreadable("handle is no JSON"));
  }

  @Property
  void aDamagedHandleNeverThrows(
      @ForAll @IntRange(max = 560) int at, @ForAll @IntRange(max = 20) int cut, @ForAll char put) {
    int from = Math.min(HANDLE.length(), at);
    String damaged =
        HANDLE.substring(0, from) + put + HANDLE.substring(Math.min(HANDLE.length(), from + cut));

    assertThat(HandleCodec.decode(damaged)).isNotNull();
  }

  @Test
  void aHandleOfTheFirstFormatMeansWhatItMeantToItsFirstReaders() {
    String first = HANDLE.replace("\"v\":2", "\"v\":1").replace("\"parent\"", "\"uuid\"");

    assertThat(HandleCodec.decode(first))
        .isEqualTo(
            new DecodedHandle.Decoded(
                new Grant(
                    new ClaimUid("7d0c"),
                    "worker-1",
                    3,
                    OptionalLong.empty(),
                    Instant.parse("2026-11-21T08:00:00Z"),
                    ImmutableList.of(
                        new GrantedDevice("a", "GPU-0"), new GrantedDevice("b", "GPU-1")))));
    assertThat(
            HandleCodec.decode(
                "{\"v\":1,\"claim\":\"c\",\"node\":\"n\",\"at\":\"2026-11-21T08:00:00Z\","
                    + "\"mode\":\"monitor\"}"))
        .isEqualTo(new DecodedHandle.Unreadable("handle: devices: Required value"));
  }

  @Test
  void sixtyFourDevicesWithLimitsOnEachFit() {
    assertThat(bytes(16, HandleFormat2Test::shared)).isLessThan(4_500);
    assertThat(bytes(16, HandleFormat2Test::slice)).isLessThan(4_500);
    assertThat(bytes(64, HandleFormat2Test::shared)).isLessThan(14_500);
    assertThat(bytes(64, HandleFormat2Test::slice)).isLessThan(14_500);
  }

  private static int bytes(int devices, IntFunction<GrantedDevice> device) {
    return HandleCodec.encode(large(devices, device)).getBytes(StandardCharsets.UTF_8).length;
  }

  private static Grant large(int devices, IntFunction<GrantedDevice> device) {
    return new Grant(
        new ClaimUid("7d0c1f3a-8a52-4d9d-9a51-0f6f6b0d7a11"),
        "n".repeat(253),
        1_000,
        OptionalLong.of(1_000),
        Instant.parse("2026-11-21T08:00:00Z"),
        IntStream.range(0, devices).mapToObj(device).collect(ImmutableList.toImmutableList()));
  }

  private static GrantedDevice shared(int index) {
    return device(index, "gpu-" + index, new Part.Share(10L << 30, 500));
  }

  private static GrantedDevice slice(int index) {
    return device(
        index,
        "gpu-%d-mig-1g.10gb.me-0".formatted(index),
        new Part.Slice("1g.10gb+me", 0, 1, 1, Optional.empty()));
  }

  /** With as many settings as there can be and the longest name of a request. */
  private static GrantedDevice device(int index, String name, Part part) {
    SharingStrategy sharing =
        new SharingStrategy.Mps(
            OptionalInt.of(91 + index % 8), OptionalLong.of((10_000L + index) << 20));
    return new GrantedDevice(
        name,
        new GrantedPart(
            UUID, part, sharing, 100, false, Optional.empty(), Optional.of("r".repeat(32))),
        false);
  }

  @Test
  void moreSettingsThanAClaimCanHaveDoNotFit() {
    Grant nine =
        large(
            9,
            i ->
                new GrantedDevice(
                    "gpu-" + i,
                    new GrantedPart(
                        UUID,
                        new Part.Whole(),
                        new SharingStrategy.SpacePartitioning(i + 1),
                        100,
                        false,
                        Optional.empty(),
                        Optional.empty()),
                    false));

    assertThat(HandleCodec.fits(nine)).isFalse();
    assertThatThrownBy(() -> HandleCodec.encode(nine))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageEndingWith("has 9 settings, at most 8 fit");
  }
}
