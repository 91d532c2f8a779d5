package io.gpudra.kubeletplugin.cdi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableMap;
import io.gpudra.crds.model.ClaimUid;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CdiDirectoryTest {

  private static final CdiNames NAMES = new CdiNames("gpu.resource.example.com");
  private static final ClaimUid UID = new ClaimUid("u1");
  private static final String FILE = "k8s.gpu.resource.example.com-claim_u1.json";

  @TempDir Path directory = Path.of("");

  private static CdiSpec spec(String value) {
    return new CdiSpec(
        NAMES.kind(),
        NAMES.deviceName(UID),
        ContainerEdits.environment(ImmutableMap.of("A", value)));
  }

  private Stream<String> files() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).toList().stream();
    }
  }

  @Test
  void line34WritesOneWorldReadableFileAndNothingElse() throws IOException {
    CdiDirectory.open(directory, NAMES).write(UID, spec("b"));

    assertThat(files()).containsExactly(FILE);
    assertThat(directory.resolve(FILE)).hasBinaryContent(spec("b").toJson());
    assertThat(
            PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve(FILE))))
        .isEqualTo("rw-r--r--");
  }

  @Test
  void leavesAFileAloneThatSaysTheSame() throws IOException {
    CdiDirectory specs = CdiDirectory.open(directory, NAMES);
    specs.write(UID, spec("b"));
    Files.setLastModifiedTime(directory.resolve(FILE), FileTime.fromMillis(1000));

    specs.write(UID, spec("b"));
    assertThat(Files.getLastModifiedTime(directory.resolve(FILE)).toMillis()).isEqualTo(1000);
    specs.write(UID, spec("c"));

    assertThat(directory.resolve(FILE)).hasBinaryContent(spec("c").toJson());
  }

  @Test
  void line34ReplacesAFileAsAWholeSoThatNoReaderSeesAHalf() throws IOException {
    CdiDirectory specs = CdiDirectory.open(directory, NAMES);
    specs.write(UID, spec("b"));
    Path old = Files.createLink(directory.resolve("kept-open"), directory.resolve(FILE));

    specs.write(UID, spec("c"));

    assertThat(old).as("what a reader has open").hasBinaryContent(spec("b").toJson());
    assertThat(directory.resolve(FILE)).hasBinaryContent(spec("c").toJson());
    assertThat(files()).containsExactlyInAnyOrder(FILE, "kept-open");
  }

  @Test
  void namesTheFileItCannotWrite() throws IOException {
    CdiDirectory specs = CdiDirectory.open(directory, NAMES);
    Files.createDirectory(directory.resolve(FILE));

    assertThatThrownBy(() -> specs.write(UID, spec("b")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(directory.resolve(FILE) + " cannot be written")
        .hasMessageContaining("Is a directory");
  }

  @Test
  void removesItsOwnUnfinishedFilesAtTheStartOnly() throws IOException {
    Files.writeString(directory.resolve(FILE + ".1.tmp"), "{");
    Files.writeString(directory.resolve("k8s.other-claim_u1.json.1.tmp"), "{");
    Files.writeString(directory.resolve("vendor.yaml"), "");

    CdiDirectory.open(directory, NAMES);

    assertThat(files()).containsExactlyInAnyOrder("k8s.other-claim_u1.json.1.tmp", "vendor.yaml");
  }

  @Test
  void knowsTheClaimsOfItsFilesAndRemovesThemTwice() throws IOException {
    CdiDirectory specs = CdiDirectory.open(directory, NAMES);
    specs.write(UID, spec("b"));
    Files.writeString(directory.resolve("k8s.other-claim_u2.json"), "{}");

    assertThat(specs.present()).containsExactly(UID);
    specs.remove(UID);
    specs.remove(UID);

    assertThat(specs.present()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "../x", "a/b", "-a", "a-", "a b", "a.b"})
  void namesNoClaimWhoseUidIsStrange(String uid) {
    assertThat(CdiNames.canName(new ClaimUid(uid))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"../../victim", "/victim", "..", ""})
  void aMalformedUidBecomesNoPath(String uid) throws IOException {
    CdiDirectory specs = CdiDirectory.open(directory, NAMES);

    assertThatThrownBy(() -> specs.write(new ClaimUid(uid), spec("a")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("is malformed");
    assertThatThrownBy(() -> specs.remove(new ClaimUid(uid))).isInstanceOf(IOException.class);
  }
}
