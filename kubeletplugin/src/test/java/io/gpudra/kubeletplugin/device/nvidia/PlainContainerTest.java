package io.gpudra.kubeletplugin.device.nvidia;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.kubeletplugin.cdi.ContainerEdits.Mount;
import io.gpudra.kubeletplugin.device.os.DriverProgram;
import io.gpudra.stubdriver.StubDriver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With the linker of this machine, in an image that knows nothing of CUDA, without hooks. */
class PlainContainerTest {

  private static final Pattern LOADED = Pattern.compile("(?m)(/\\S+) \\(0x");

  private static final String LOAD =
      """
      #include <dlfcn.h>
      #include <stdio.h>
      int main(int count, char **names) {
        for (int i = 1; i < count; i++)
          if (!dlopen(names[i], RTLD_NOW)) return printf("%s\\n", dlerror()), 1;
        return 0;
      }
      """;

  @TempDir Path directory = Path.of("");

  private Path image() throws IOException {
    Path image = Files.createDirectories(directory.resolve("image"));
    Path source = Files.writeString(directory.resolve("load.c"), LOAD);
    DriverSystem.run("cc", "-o", image.resolve("load").toString(), source.toString(), "-ldl");
    DriverProgram.Result loaded =
        new DriverProgram(
                ImmutableList.of("ldd", image.resolve("load").toString()), ImmutableMap.of())
            .run("", Duration.ofMinutes(1));
    Matcher libraries = LOADED.matcher(loaded.words());
    while (libraries.find()) {
      String library = libraries.group(1);
      DriverSystem.mount(Mount.readOnly(library, library), new RootFiles(Path.of("/")), image);
    }
    return image;
  }

  private static DriverProgram.Result load(Path image, String... names) throws IOException {
    return new DriverProgram(
            DriverProgram.inRoot(image, Path.of("/load"), names), ImmutableMap.of())
        .run("", Duration.ofMinutes(1));
  }

  @Test
  void itsProgramsFindTheLibrariesByTheirNames() throws IOException {
    Assumptions.assumeTrue(
        System.getProperty("user.name").equals("root"), "only root may change a process's root");
    Assumptions.assumeTrue(StubDriver.canBeMade(), "no C compiler");
    Path image = image();
    assertThat(load(image, "libcuda.so.1").words()).contains("cannot open shared object file");

    Path node = directory.resolve("node");
    new DriverSystem(node, "/", "/usr/lib64", "/usr/lib64").install("vulkan/icd.d/nvidia_icd.json");
    DriverRoot found = DriverRoot.find(Optional.of(Path.of("/")), Optional.empty(), node);
    for (Mount mount :
        new DriverFiles(found, DriverSystem.VERSION, Optional.empty()).edits().mounts()) {
      DriverSystem.mount(mount, found.node(), image);
    }
    assertThat(load(image, "libcuda.so.1", "libcuda.so", "libnvidia-ml.so.1", "libGLX_nvidia.so.0"))
        .isEqualTo(new DriverProgram.Result(0, ""));
  }
}
