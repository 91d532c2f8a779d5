package io.gpudra.crds.handle;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.Part.Instance;
import io.gpudra.crds.model.Part.Share;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.SharingStrategy;
import io.gpudra.crds.model.SharingStrategy.Interval;
import java.time.Instant;
import java.util.OptionalInt;
import java.util.OptionalLong;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;

/** Grants of every kind of part. */
final class AnyGrant {

  /** No GPU has more, and not every size above it can be said. */
  private static final long MAX_BYTES = 99_000_000_000_000L;

  private AnyGrant() {}

  static Arbitrary<Grant> of(Arbitrary<GrantedDevice> device) {
    return Combinators.combine(
            texts(),
            texts(),
            Arbitraries.longs(),
            Arbitraries.longs().optional(),
            Arbitraries.longs().between(0, 4_000_000_000_000L),
            device.list().ofMaxSize(8))
        .as(
            (claim, node, epoch, generation, millis, devices) ->
                new Grant(
                    new ClaimUid(claim),
                    node,
                    epoch,
                    generation.map(OptionalLong::of).orElse(OptionalLong.empty()),
                    Instant.ofEpochMilli(millis),
                    ImmutableList.copyOf(devices)));
  }

  static Arbitrary<GrantedDevice> plain() {
    return Combinators.combine(texts(), texts()).as(GrantedDevice::new);
  }

  static Arbitrary<GrantedDevice> device() {
    return Combinators.combine(texts(), part(), bool()).as(GrantedDevice::new);
  }

  private static Arbitrary<GrantedPart> part() {
    return Combinators.combine(
            texts(),
            Arbitraries.oneOf(Arbitraries.just(new Part.Whole()), slice(), share()),
            sharing(),
            Arbitraries.integers().between(100, 400),
            bool(),
            texts().map(ClaimUid::new).optional(),
            texts().optional())
        .as(GrantedPart::new);
  }

  private static Arbitrary<Part> slice() {
    return Combinators.combine(
            texts(),
            Arbitraries.integers().between(0, 32),
            Arbitraries.integers().between(1, 32),
            Arbitraries.integers().between(1, 64),
            Combinators.combine(
                    Arbitraries.integers().between(0, 32), Arbitraries.integers().between(1, 32))
                .as(Instance::new)
                .optional())
        .as(Slice::new);
  }

  private static Arbitrary<Part> share() {
    return Combinators.combine(bytes(), Arbitraries.integers().between(0, 1_000)).as(Share::new);
  }

  private static Arbitrary<SharingStrategy> sharing() {
    Arbitrary<OptionalInt> threads =
        Arbitraries.integers()
            .between(1, 100)
            .optional()
            .map(some -> some.map(OptionalInt::of).orElse(OptionalInt.empty()));
    Arbitrary<OptionalLong> pinned =
        bytes().optional().map(some -> some.map(OptionalLong::of).orElse(OptionalLong.empty()));
    return Arbitraries.oneOf(
        Arbitraries.of(Interval.class).map(SharingStrategy.TimeSlicing::new),
        Combinators.combine(threads, pinned).as(SharingStrategy.Mps::new),
        Arbitraries.integers().between(1, 64).map(SharingStrategy.SpacePartitioning::new));
  }

  private static Arbitrary<Long> bytes() {
    Arbitrary<Long> any = Arbitraries.longs().between(1, MAX_BYTES);
    Arbitrary<Long> mebi = Arbitraries.longs().between(1, 1 << 20).map(n -> n << 20);
    return Arbitraries.oneOf(any, mebi);
  }

  private static Arbitrary<Boolean> bool() {
    return Arbitraries.of(true, false);
  }

  private static Arbitrary<String> texts() {
    return Arbitraries.strings().ascii().ofMinLength(1).ofMaxLength(60);
  }
}
