package io.gpudra.kubeletplugin.checkpoint;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.hash.Hashing;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.kubeletplugin.checkpoint.Checkpoint.Entry;
import io.gpudra.kubeletplugin.checkpoint.Checkpoint.Phase;
import io.gpudra.kubeletplugin.checkpoint.Checkpoint.Pods;
import io.gpudra.kubeletplugin.checkpoint.Checkpoint.Remembered;
import io.gpudra.kubeletplugin.testing.Parts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CheckpointFileTest {

  private static final JsonMapper JSON = new JsonMapper();

  @TempDir Path directory = Path.of("");

  private static Entry entry(String uid, Phase phase, OptionalLong generation) {
    return new Entry(
        phase,
        new ClaimRef("team-a", "train"),
        new Grant(
            new ClaimUid(uid),
            "worker-1",
            3,
            generation,
            Instant.parse("2026-11-21T08:00:00.123456789Z"),
            ImmutableList.of(new GrantedDevice("gpu-0", "GPU-a"))),
        ImmutableMap.of(),
        Optional.empty());
  }

  private static Checkpoint full() {
    return new Checkpoint(
        "boot-1",
        ImmutableMap.of(
            new ClaimUid("u1"),
            entry("u1", Phase.PREPARED, OptionalLong.of(4)),
            new ClaimUid("u2"),
            entry("u2", Phase.INTENDED, OptionalLong.empty())),
        ImmutableList.of(remembered("u3"), remembered("u0")));
  }

  private static Remembered remembered(String uid) {
    Entry entry = entry(uid, Phase.PREPARED, OptionalLong.empty());
    return new Remembered(entry.ref(), entry.grant());
  }

  private Path file() {
    return directory.resolve("checkpoint.json");
  }

  @Test
  void readsBackWhatItWrote() throws IOException {
    CheckpointFile store = new CheckpointFile(file());
    assertThat(store.load()).isEmpty();

    store.save(new Checkpoint("boot-0", ImmutableMap.of(), ImmutableList.of()));
    store.save(full());

    assertThat(new CheckpointFile(file()).load()).contains(full());
    assertThat(directory.toFile().list()).containsExactly("checkpoint.json");
  }

  private static Checkpoint withParts() {
    Grant plain = entry("u4", Phase.PREPARED, OptionalLong.of(4)).grant();
    Grant parts =
        new Grant(
            plain.claim(),
            plain.node(),
            plain.epoch(),
            plain.generation(),
            plain.at(),
            ImmutableList.of(
                Parts.inside("u9", Parts.mig(0, "1g.5gb", 3)),
                Parts.existing(Parts.mig(0, "3g.20gb", 4)),
                Parts.with(Parts.LONG, Parts.share(1, 4))));
    return new Checkpoint(
        "boot-1",
        ImmutableMap.<ClaimUid, Entry>builder()
            .putAll(full().claims())
            .put(
                new ClaimUid("u4"),
                new Entry(
                    Phase.PREPARED,
                    new ClaimRef("a", "b"),
                    parts,
                    ImmutableMap.of(),
                    Optional.empty()))
            .buildOrThrow(),
        full().remembered());
  }

  @Test
  void readsBackPartsAndMonitors() throws IOException {
    CheckpointFile store = new CheckpointFile(file());
    store.save(withParts());
    assertThat(store.load()).contains(withParts());

    Grant plain = entry("u5", Phase.INTENDED, OptionalLong.empty()).grant();
    Grant monitor =
        new Grant(
            plain.claim(), plain.node(), 1, plain.generation(), plain.at(), ImmutableList.of());
    Checkpoint watching =
        new Checkpoint(
            "boot-1",
            ImmutableMap.of(),
            ImmutableList.of(new Remembered(new ClaimRef("a", "b"), monitor)));
    store.save(watching);
    assertThat(store.load()).contains(watching);
  }

  @Test
  void readsBackWhatWasMadeAndWhoUsesItInAFileThatAnOlderPluginReads() throws IOException {
    Entry entry = entry("u1", Phase.PREPARED, OptionalLong.empty());
    ImmutableMap<String, String> made = ImmutableMap.of("a", "", "b", "MIG-1");
    Pods pods = new Pods(ImmutableSet.of("p1", "p2"), ImmutableSet.of("p3"));
    Checkpoint noted =
        new Checkpoint(
            "boot-1",
            ImmutableMap.of(
                new ClaimUid("u1"),
                new Entry(entry.phase(), entry.ref(), entry.grant(), made, Optional.of(pods))),
            ImmutableList.of(new Remembered(entry.ref(), entry.grant(), true)));
    CheckpointFile store = new CheckpointFile(file());
    store.save(noted);

    assertThat(store.load()).contains(noted);
    assertThat(JSON.readTree(file().toFile()).path("version").asInt()).isEqualTo(1);
  }

  /** Run with {@code -Dgolden.update=true} to write the files anew, then read the difference. */
  @ParameterizedTest
  @ValueSource(strings = {"whole-gpus", "parts"})
  void whatIsWrittenIsTheGoldenFile(String name) throws IOException {
    Checkpoint checkpoint = name.equals("parts") ? withParts() : full();
    new CheckpointFile(file()).save(checkpoint);
    Path golden = Path.of("src/test/resources/checkpoint", name + ".json");
    if (Boolean.getBoolean("golden.update")) {
      Files.createDirectories(golden.getParent());
      Files.writeString(golden, JSON.readTree(file().toFile()).toPrettyString());
    }

    assertThat(JSON.readTree(file().toFile())).isEqualTo(JSON.readTree(golden.toFile()));
    assertThat(new CheckpointFile(golden).load()).contains(checkpoint);
  }

  @Test
  void aClaimThatWasWrittenBeforeIsWrittenAsItIsNow() throws IOException {
    CheckpointFile store = new CheckpointFile(file());
    for (Phase phase : Phase.values()) {
      Map<ClaimUid, Entry> claims = new HashMap<>(withParts().claims());
      claims.put(new ClaimUid("u1"), entry("u1", phase, OptionalLong.of(4)));
      Checkpoint changed =
          new Checkpoint("boot-1", ImmutableMap.copyOf(claims), full().remembered());
      store.save(changed);

      assertThat(store.load()).contains(changed);
    }
  }

  @Test
  void itsSumHoldsAfterAnySequenceOfClaimsMadeChangedAndGone() throws IOException {
    CheckpointFile store = new CheckpointFile(file());
    Random random = new Random(7);
    Map<ClaimUid, Entry> claims = new TreeMap<>(Comparator.comparing(ClaimUid::value));
    for (int step = 0; step < 300; step++) {
      String uid = "u" + random.nextInt(8);
      if (random.nextInt(3) == 0) {
        claims.remove(new ClaimUid(uid));
      } else {
        Phase phase = random.nextBoolean() ? Phase.PREPARED : Phase.INTENDED;
        claims.put(new ClaimUid(uid), entry(uid, phase, OptionalLong.of(step)));
      }
      ImmutableList<Remembered> before =
          random.nextInt(9) == 0 ? full().remembered() : ImmutableList.of();
      Checkpoint now = new Checkpoint("boot-1", ImmutableMap.copyOf(claims), before);
      store.save(now);

      assertThat(store.load()).contains(now);
    }
  }

  @Test
  void aFileThatSomebodyRemovesIsLost() throws IOException {
    CheckpointFile store = new CheckpointFile(file());
    store.save(full());
    assertThat(store.lost()).isFalse();

    Files.delete(file());
    assertThat(store.lost()).isTrue();
  }

  @Test
  void namesTheFileItCannotWriteAndKeepsIt() throws IOException {
    CheckpointFile store = new CheckpointFile(file());
    store.save(full());
    Files.createDirectory(directory.resolve("checkpoint.json.tmp"));

    assertThatThrownBy(
            () -> store.save(new Checkpoint("boot-1", ImmutableMap.of(), ImmutableList.of())))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(file() + " cannot be written")
        .hasMessageContaining("Is a directory");
    assertThat(store.load()).contains(full());
  }

  @Test
  void refusesEveryTruncationAndChangesNothing() throws IOException {
    new CheckpointFile(file()).save(full());
    String whole = Files.readString(file());
    for (int length = 0; length < whole.length() - 1; length += 7) {
      String cut = whole.substring(0, length);
      Files.writeString(file(), cut);

      assertThatThrownBy(() -> new CheckpointFile(file()).load())
          .as("first %d characters", length)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("cannot be trusted");
      assertThat(Files.readString(file())).isEqualTo(cut);
    }
  }

  @Test
  void refusesAnyChangeOfWhatIsHeld() throws IOException {
    new CheckpointFile(file()).save(full());
    Files.writeString(file(), Files.readString(file()).replace("INTENDED", "PREPARED"));

    assertThatThrownBy(() -> new CheckpointFile(file()).load())
        .hasMessageContaining("checksum does not match");
  }

  @Test
  void refusesTheFileOfANewerPlugin() throws IOException {
    new CheckpointFile(file()).save(full());
    Files.writeString(file(), Files.readString(file()).replace("\"version\":1", "\"version\":3"));

    assertThatThrownBy(() -> new CheckpointFile(file()).load())
        .hasMessageContaining("a newer plugin wrote it, version 3");
  }

  @Test
  void refusesAFileThatDoesNotSayWhichVersionItIs() throws IOException {
    new CheckpointFile(file()).save(full());
    Files.writeString(file(), Files.readString(file()).replace("\"version\":1,", ""));

    assertThatThrownBy(() -> new CheckpointFile(file()).load())
        .hasMessageContaining("it has no version");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"bootID", "claims/u1/phase", "claims/u2/devices/0/uuid", "remembered/0/at"})
  void refusesAFileThatLacksAFieldThoughItsSumIsRight(String path) throws IOException {
    new CheckpointFile(file()).save(full());
    JsonMapper json = new JsonMapper();
    ObjectNode whole = (ObjectNode) json.readTree(file().toFile());
    JsonPointer field = JsonPointer.compile("/" + path);
    ObjectNode parent = (ObjectNode) whole.path("state").at(field.head());
    parent.remove(field.last().getMatchingProperty());
    String sum = Hashing.sha256().hashString(whole.path("state").toString(), UTF_8).toString();
    json.writeValue(file().toFile(), whole.put("sha256", sum));

    assertThatThrownBy(() -> new CheckpointFile(file()).load())
        .hasMessageContaining("it lacks \"" + field.last().getMatchingProperty() + "\"");
  }
}
