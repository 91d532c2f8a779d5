package io.gpudra.kubeletplugin.device;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.GpuLink;
import io.gpudra.crds.model.node.MigProfile;
import io.gpudra.crds.testing.GrantFixture;
import io.gpudra.crds.usage.GpuShape;
import io.gpudra.crds.usage.GpuUsage;
import io.gpudra.crds.usage.PartHolding;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Every profile that is shipped, against nvidia.md 1.5 and 2.1. */
class ShippedProfilesTest {

  /**
   * What NVIDIA documents to fit on a GPU of eight memory slices, each as compute slices at first
   * memory slice.
   */
  private static final ImmutableList<String> FULL_MIXES =
      ImmutableList.of(
          "7@0",
          "4@0 3@4",
          "4@0 2@4 1@6",
          "4@0 1@4 1@5 1@6",
          "3@0 3@4",
          "3@0 2@4 1@6",
          "3@0 1@4 1@5 1@6",
          "2@0 2@2 3@4",
          "2@0 1@2 1@3 3@4",
          "1@0 1@1 2@2 3@4",
          "1@0 1@1 1@2 1@3 3@4",
          "2@0 2@2 2@4 1@6",
          "2@0 2@2 1@4 1@5 1@6",
          "2@0 1@2 1@3 2@4 1@6",
          "1@0 1@1 2@2 2@4 1@6",
          "2@0 1@2 1@3 1@4 1@5 1@6",
          "1@0 1@1 2@2 1@4 1@5 1@6",
          "1@0 1@1 1@2 1@3 2@4 1@6",
          "1@0 1@1 1@2 1@3 1@4 1@5 1@6");

  static Stream<String> names() {
    return ProfileFiles.NAMES.stream();
  }

  static Stream<Arguments> mixes() {
    return Stream.of("a100", "a100-40", "h100", "h200", "b200")
        .flatMap(name -> FULL_MIXES.stream().map(mix -> Arguments.of(name, mix)));
  }

  private static List<Gpu> gpus(String profile) {
    return FakeNodeProfile.parse(profile).gpus("n");
  }

  @ParameterizedTest
  @MethodSource("mixes")
  void aDocumentedMixFitsAndTakesNothingMore(String profile, String mix) {
    Gpu gpu = gpus(profile).get(0);
    GpuUsage usage =
        GpuUsage.of(
            GpuShape.of(gpu), Stream.of(mix.split(" ")).map(part -> slice(gpu, part)).toList());

    assertThat(usage.conflict()).isEmpty();
    assertThat(gpu.model().migProfiles())
        .flatExtracting(
            kind -> kind.starts().stream().map(start -> slice("more", gpu, kind, start)).toList())
        .noneMatch(usage::fits);
  }

  /** The first of its compute slices is the plain one: media engines and double memory follow. */
  private static PartHolding slice(Gpu gpu, String part) {
    int at = part.indexOf('@');
    int compute = Integer.parseInt(part.substring(0, at));
    MigProfile kind =
        gpu.model().migProfiles().stream()
            .filter(profile -> profile.compute() == compute)
            .findFirst()
            .orElseThrow();
    return slice(part, gpu, kind, Integer.parseInt(part.substring(at + 1)));
  }

  private static PartHolding slice(String claim, Gpu gpu, MigProfile kind, int start) {
    Part part = new Part.Slice(kind.name(), start, kind.size(), kind.compute(), Optional.empty());
    return new PartHolding(new ClaimUid(claim), GrantFixture.part(gpu.uuid(), part));
  }

  @ParameterizedTest
  @MethodSource("names")
  void aMigProfileIsAsItsNameSaysAndHasAPlace(String profile) {
    for (Gpu gpu : gpus(profile)) {
      for (MigProfile kind : gpu.model().migProfiles()) {
        long rounded = Math.round(kind.memoryBytes() / (double) (1L << 30));
        assertThat(kind.name()).startsWith(kind.compute() + "g.");
        assertThat(rounded).isBetween(gib(kind.name()) * 85 / 100, gib(kind.name()));
        assertThat(kind.starts()).isNotEmpty();
        assertThat(kind.starts().last() + kind.size()).isLessThanOrEqualTo(8);
        assertThat(kind.most() * kind.compute()).isLessThanOrEqualTo(7);
        assertThat(kind.starts().size()).isGreaterThanOrEqualTo(kind.most());
      }
    }
  }

  private static long gib(String name) {
    return Long.parseLong(name.substring(name.indexOf('.') + 1, name.indexOf("gb")));
  }

  @ParameterizedTest
  @MethodSource("names")
  void aNodeIsConsistent(String profile) {
    List<Gpu> gpus = gpus(profile);

    assertThat(gpus).extracting(Gpu::uuid).doesNotHaveDuplicates();
    assertThat(gpus.stream().map(Gpu::pcieBusId).filter(id -> !id.isEmpty()))
        .doesNotHaveDuplicates()
        .allMatch(id -> id.matches("[0-9a-f]{4}:[0-9a-f]{2}:00\\.0"));
    assertThat(gpus)
        .allSatisfy(
            gpu -> {
              assertThat(gpu.pcieRoot().isEmpty()).isEqualTo(gpu.pcieBusId().isEmpty());
              assertThat(gpu.model().capabilities().contains("mig"))
                  .isEqualTo(!gpu.model().migProfiles().isEmpty())
                  .isEqualTo(gpu.mig().mode() != Gpu.MigMode.UNSUPPORTED)
                  .isEqualTo(gpu.mig().switchable());
              assertThat(gpu.model().nominalMemoryBytes())
                  .isBetween(gpu.memoryBytes() * 98 / 100, gpu.memoryBytes() * 11 / 10);
            });
  }

  @ParameterizedTest
  @CsvSource({
    "latest,8,0,0,0",
    "a100,8,1,8,12",
    "a100-40,8,1,8,12",
    "a100-broken-link,8,1,7,12",
    "h100,8,1,8,18",
    "h200,8,1,8,18",
    "b200,8,1,8,18",
    "t4,4,0,0,0",
    "l40s,8,0,0,0",
    "mixed,8,1,4,4",
    "dgx1,8,16,8,2",
  })
  void itsGpusAreLinkedAsOnTheMachine(
      String profile, int gpus, int links, int linked, int mostLanes) {
    List<GpuLink> found = FakeNodeProfile.parse(profile).links("n");

    assertThat(gpus(profile)).hasSize(gpus);
    assertThat(found).hasSize(links);
    assertThat(found.stream().flatMap(link -> link.gpuUuids().stream()).distinct().count())
        .isEqualTo(linked);
    assertThat(found.stream().mapToInt(GpuLink::lanes).max().orElse(0)).isEqualTo(mostLanes);
  }

  @Test
  void everyGpuOfTheMeshHasSixLanesAndEachHalfIsLinkedEachWithEach() {
    List<Gpu> gpus = gpus("dgx1");
    List<GpuLink> links = FakeNodeProfile.parse("dgx1").links("n");

    assertThat(gpus)
        .allMatch(
            gpu ->
                links.stream()
                        .filter(link -> link.gpuUuids().contains(gpu.uuid()))
                        .mapToInt(GpuLink::lanes)
                        .sum()
                    == 6);
    for (int i = 0; i < 8; i++) {
      for (int j = 0; j < i; j++) {
        ImmutableSet<String> pair = ImmutableSet.of(gpus.get(i).uuid(), gpus.get(j).uuid());
        boolean sameHalf = i / 4 == j / 4;
        assertThat(links.stream().anyMatch(link -> link.gpuUuids().equals(pair)))
            .isEqualTo(sameHalf || i - j == 4);
      }
    }
  }

  @Test
  void ofAGpuThatLostItsLinksNothingElseIsDifferent() {
    assertThat(gpus("a100-broken-link")).isEqualTo(gpus("a100"));
    assertThat(FakeNodeProfile.parse("a100-broken-link").links("n").get(0).gpuUuids())
        .doesNotContain(gpus("a100").get(5).uuid());
  }
}
