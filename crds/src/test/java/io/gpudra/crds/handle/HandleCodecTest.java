package io.gpudra.crds.handle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedDevice;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HandleCodecTest {

  private static final String GOLDEN =
      "{\"v\":1,\"claim\":\"7d0c\",\"node\":\"worker-1\",\"epoch\":3,\"generation\":1,"
          + "\"at\":\"2026-11-21T08:00:00Z\",\"devices\":[{\"name\":\"gpu-0\","
          + "\"uuid\":\"GPU-6af613b6-569c-5c22-9c37-2ed93f31d3af\"}]}";

  private static final Grant GRANT =
      new Grant(
          new ClaimUid("7d0c"),
          "worker-1",
          3,
          OptionalLong.of(1),
          Instant.parse("2026-11-21T08:00:00Z"),
          ImmutableList.of(new GrantedDevice("gpu-0", "GPU-6af613b6-569c-5c22-9c37-2ed93f31d3af")));

  @Test
  void theFormatIsTheOneOfTheApiPage() {
    assertThat(HandleCodec.encode(GRANT)).isEqualTo(GOLDEN);
    assertThat(HandleCodec.decode(GOLDEN)).isEqualTo(new DecodedHandle.Decoded(GRANT));
  }

  @Test
  void whatIsReadTwiceIsInMemoryOnce() {
    Grant first = ((DecodedHandle.Decoded) HandleCodec.decode(GOLDEN)).grant();
    Grant again = ((DecodedHandle.Decoded) HandleCodec.decode(GOLDEN)).grant();
    assertThat(again.node()).isSameAs(first.node());
    assertThat(again.devices().get(0).uuid()).isSameAs(first.devices().get(0).uuid());
  }

  @Test
  void unknownKeysAreIgnored() {
    String later =
        GOLDEN
            .replace("\"v\":1", "\"v\":1,\"later\":{\"a\":[1]}")
            .replace("{\"name", "{\"x\":1,\"name");

    assertThat(HandleCodec.decode(later)).isEqualTo(new DecodedHandle.Decoded(GRANT));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "\"v\":1 | \"v\":3 | handle format 3 is newer than 2",
        "\"v\":1 | \"v\":7 | handle format 7 is newer than 2",
        "\"v\":1 | \"v\":4294967297 | handle format 4294967297 is newer than 2",
        "\"v\":1 | \"v\":99999999999999999999 | handle format beyond all numbers is newer than 2",
        "\"v\":1 | \"v\":0 | handle has no format version",
        "\"v\":1 | \"v\":-1 | handle has no format version",
        "\"v\":1 | \"v\":1.5 | handle has no format version",
        "\"v\":1 | \"v\":\"1\" | handle has no format version",
        "\"v\":1 | \"w\":1 | handle has no format version",
        "\"v\":1 | \"v\":1,\"v\":1 | handle is no JSON",
        "\"claim\":\"7d0c\" | \"claim\":\"\" | handle: claim: Required value",
        "\"claim\":\"7d0c\" | \"claim\":null | handle: claim: Required value",
        "\"node\":\"worker-1\" | \"node\":5 | handle: node: Required value",
        "2026-11-21T08:00:00Z | yesterday | handle has no time in \"at\"",
        "\"devices\":[ | \"devices\":[[], | handle: devices[0]: must be an object",
        "\"devices\":[ | \"devices\":{},\"x\":[ | handle: devices: must be a list",
        "\"devices\":[ | \"devices\":[],\"x\":[ | handle: devices: Required value",
        "\"devices\":[ | \"x\":[ | handle: devices: Required value",
        "\"devices\":[ | \"devices\":[null, | handle: devices[0]: must be an object",
        "\"name\":\"gpu-0\" | \"name\":\"\" | handle: devices[0].name: Required value",
        "\"name\":\"gpu-0\" | \"name\":0 | handle: devices[0].name: wrong type",
        "\"uuid\" | \"parent\" | handle: devices[0].uuid: Required value",
        "}]} | }]}} | handle is no JSON",
        "}]} | }] | handle is no JSON",
      })
  void everythingElseIsUnreadableAndSaysWhy(String good, String bad, String problem) {
    assertThat(GOLDEN).contains(good);

    assertThat(HandleCodec.decode(GOLDEN.replace(good, bad)))
        .isEqualTo(new DecodedHandle.Unreadable(problem));
  }

  @Test
  void anAbsentOrEmptyHandleIsUnreadable() {
    assertThat(HandleCodec.decode(null))
        .isEqualTo(new DecodedHandle.Unreadable("handle is absent"));
    assertThat(HandleCodec.decode("")).isInstanceOf(DecodedHandle.Unreadable.class);
    assertThat(HandleCodec.decode("null")).isInstanceOf(DecodedHandle.Unreadable.class);
    assertThat(HandleCodec.decode("[".repeat(200_000)))
        .isInstanceOf(DecodedHandle.Unreadable.class);
  }

  @Test
  void aHandleOfSixtyFourGpusFits() {
    assertThat(HandleCodec.encode(grantOf(64)).getBytes(StandardCharsets.UTF_8))
        .hasSizeLessThan(HandleCodec.MAX_BYTES);
  }

  @Test
  void aHandleThatTheServerWouldRefuseIsRefused() {
    int devices = 250;

    assertThatThrownBy(() -> HandleCodec.encode(grantOf(devices)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("handle of claim 7d0c has")
        .hasMessageContaining("at most 16384 fit");
  }

  @Test
  void theLimitCountsBytesOfUtf8() {
    String wide = "\u00e9".repeat(HandleCodec.MAX_BYTES / 2);

    assertThatThrownBy(
            () ->
                HandleCodec.encode(
                    new Grant(
                        GRANT.claim(), wide, 0, OptionalLong.empty(), GRANT.at(), GRANT.devices())))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static Grant grantOf(int devices) {
    return new Grant(
        GRANT.claim(),
        "n".repeat(253),
        Long.MAX_VALUE,
        OptionalLong.of(Long.MAX_VALUE),
        GRANT.at(),
        IntStream.range(0, devices)
            .mapToObj(
                i -> new GrantedDevice("gpu-" + i, "GPU-6af613b6-569c-5c22-9c37-2ed93f31d3af"))
            .collect(ImmutableList.toImmutableList()));
  }

  @Property
  void whatIsWrittenIsRead(@ForAll("grants") Grant grant) {
    assertThat(HandleCodec.decode(HandleCodec.encode(grant)))
        .isEqualTo(new DecodedHandle.Decoded(grant));
  }

  @Property
  void theFirstFormatIsWrittenExactlyForWhatItKnows(@ForAll("grants") Grant grant) {
    boolean known =
        !grant.devices().isEmpty()
            && grant.devices().stream()
                .allMatch(d -> d.equals(new GrantedDevice(d.name(), d.uuid())));

    assertThat(HandleCodec.encode(grant)).startsWith("{\"v\":" + (known ? 1 : 2) + ",");
    assertThat(HandleCodec.formatOf(grant)).isEqualTo(known ? 1 : 2);
  }

  @Property
  void readingNeverThrows(@ForAll String text) {
    assertThat(HandleCodec.decode(text)).isInstanceOf(DecodedHandle.Unreadable.class);
  }

  @Property
  void readingADamagedHandleNeverThrows(
      @ForAll @IntRange(max = 150) int at, @ForAll @IntRange(max = 20) int cut, @ForAll char put) {
    String damaged =
        GOLDEN.substring(0, at) + put + GOLDEN.substring(Math.min(GOLDEN.length(), at + cut));

    assertThat(HandleCodec.decode(damaged)).isNotNull();
  }

  @Provide
  Arbitrary<Grant> grants() {
    return Arbitraries.oneOf(AnyGrant.of(AnyGrant.plain()), AnyGrant.of(AnyGrant.device()));
  }
}
