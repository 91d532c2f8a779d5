package io.gpudra.simulator.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.simulator.api.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The rules of protocol.md 5, one row each. */
class CdiSpecTest {
  private static String spec(String version, String kind, String device, String edits) {
    return "{'cdiVersion':'%s','kind':'%s','devices':[{'name':'%s','containerEdits':{%s}}]}"
        .formatted(version, kind, device, edits)
        .replace('\'', '"');
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      delimiter = ';',
      value = {
        "0.3.0; v.com/gpu;    d;  `'env':['A=b']`;                                        ``",
        "0.2.0; v.com/gpu;    d;  `'env':['A=b']`;                          `invalid version \"0.2.0\"`",
        "1.0.0; v.com/gpu;    d;  `'env':['A=b']`;                          `invalid version \"1.0.0\"`",
        "0.3.0; v/gpu;        d;  `'env':['A=b']`;                          `invalid kind \"v/gpu\"`",
        "0.3.0; v.com/g;      d;  `'env':['A=b']`;                          `invalid kind \"v.com/g\"`",
        "0.3.0; v.com/g.u;    d;  `'env':['A=b']`;       `the spec version must be at least v0.6.0`",
        "0.6.0; v.com/g.u;    d;  `'env':['A=b']`;                                        ``",
        "0.3.0; v.com/gpu;    1d; `'env':['A=b']`;       `the spec version must be at least v0.5.0`",
        "0.3.0; v.com/gpu;    -d; `'env':['A=b']`;                   `invalid device name \"-d\"`",
        "0.3.0; v.com/gpu;    d;  ``;                              `device \"d\" has empty edits`",
        "0.3.0; v.com/gpu;    d;  `'env':['A']`;                                `invalid env \"A\"`",
        "0.3.0; v.com/gpu;    d;  `'envs':['A=b']`;                          `unknown field \"envs\"`",
        "0.3.0; v.com/gpu;    d;  `'deviceNodes':[{'path':'/d','permissions':'rwx'}]`; invalid device node",
        "0.4.0; v.com/gpu;    d;  `'deviceNodes':[{'path':'/d','hostPath':'/e'}]`; at least v0.5.0",
        "0.3.0; v.com/gpu;    d;  `'mounts':[{'hostPath':'/a'}]`;                   invalid mount",
        "0.3.0; v.com/gpu;    d;  `'mounts':[{'hostPath':'/a','containerPath':'/b','type':'x'}]`; at least v0.4.0",
        "0.3.0; v.com/gpu;    d;  `'hooks':[{'hookName':'createRuntime','path':'x'}]`; invalid hook",
        "0.6.0; v.com/gpu;    d;  `'additionalGids':[1]`;                       at least v0.7.0"
      })
  void aFileIsTakenOrRefusedByItsFirstBrokenRule(
      String version, String kind, String device, String edits, String problem) {
    CdiSpec parsed = new CdiSpec(Json.parse(spec(version, kind, device, edits)));
    if (problem.isEmpty()) {
      assertThat(parsed.problem()).isEmpty();
    } else {
      assertThat(parsed.problem()).get().asString().contains(problem);
    }
  }

  @Test
  void aDeviceTwiceInOneDirectoryIsUnresolvableForBothAndTheOthersAreNot(@TempDir Path dir)
      throws IOException {
    Files.writeString(dir.resolve("a.json"), spec("0.3.0", "v.com/gpu", "d", "'env':['A=1']"));
    Files.writeString(dir.resolve("b.json"), spec("0.3.0", "v.com/gpu", "d", "'env':['A=2']"));
    Files.writeString(dir.resolve("c.json"), spec("0.3.0", "v.com/gpu", "e", "'env':['A=3']"));
    Files.writeString(dir.resolve("d.json.tmp"), spec("0.3.0", "v.com/gpu", "f", "'env':['A=4']"));
    Files.writeString(dir.resolve("broken.json"), "{");
    CdiSpecs specs = CdiSpecs.read(List.of(dir));
    assertThat(specs.edits(List.of("v.com/gpu=d"))).isEmpty();
    assertThat(specs.edits(List.of("v.com/gpu=e"))).isPresent();
    assertThat(specs.edits(List.of("v.com/gpu=f"))).isEmpty();
  }

  @Test
  void aLaterDirectoryWinsAndCommonEditsComeOnce(@TempDir Path dir) throws IOException {
    Path low = Files.createDirectory(dir.resolve("low"));
    Path high = Files.createDirectory(dir.resolve("high"));
    Files.writeString(low.resolve("a.json"), spec("0.3.0", "v.com/gpu", "d", "'env':['A=1']"));
    Files.writeString(
        high.resolve("a.yaml"),
        """
        cdiVersion: 0.3.0
        kind: v.com/gpu
        containerEdits: {env: [C=c]}
        devices:
        - {name: d, containerEdits: {env: [A=2]}}
        - {name: e, containerEdits: {env: [B=2]}}
        """);
    CdiSpecs specs = CdiSpecs.read(List.of(low, high, dir.resolve("absent")));
    assertThat(specs.edits(List.of("v.com/gpu=d", "v.com/gpu=e")).orElseThrow())
        .extracting(edit -> edit.path("env").path(0).asText())
        .containsExactly("C=c", "A=2", "B=2");
  }
}
