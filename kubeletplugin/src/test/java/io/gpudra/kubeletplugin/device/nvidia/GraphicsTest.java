package io.gpudra.kubeletplugin.device.nvidia;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;

class GraphicsTest extends InstalledDriver {

  @Test
  void librariesForGraphicsHaveTheNamesThatTheirLoadersLookFor() throws IOException {
    for (String own : ImmutableList.of("libnvidia-allocator", "libnvidia-vulkan-producer")) {
      library(own + ".so." + VERSION);
    }
    link("libnvidia-allocator.so.1", "libnvidia-allocator.so." + VERSION);
    library("libnvidia-egl-gbm.so.1.1.1");
    link("libnvidia-egl-gbm.so.1", "libnvidia-egl-gbm.so.1.1.1");
    library("vdpau/libvdpau_nvidia.so." + VERSION);
    link("vdpau/libvdpau_nvidia.so.1", "libvdpau_nvidia.so." + VERSION);

    assertThat(links(withHooks()))
        .contains(
            "../libnvidia-allocator.so.1::/usr/lib64/gbm/nvidia-drm_gbm.so",
            "libnvidia-vulkan-producer.so.%s::/usr/lib64/libnvidia-vulkan-producer.so"
                .formatted(VERSION),
            "libnvidia-egl-gbm.so.1.1.1::/usr/lib64/libnvidia-egl-gbm.so.1",
            "libvdpau_nvidia.so.%s::/usr/lib64/vdpau/libvdpau_nvidia.so.1".formatted(VERSION));
    assertThat(edits().mounts())
        .containsAll(
            everywhere(
                "gbm/nvidia-drm_gbm.so", "libnvidia-allocator.so." + VERSION,
                "libnvidia-vulkan-producer.so", "libnvidia-vulkan-producer.so." + VERSION,
                "libnvidia-egl-gbm.so.1", "libnvidia-egl-gbm.so.1.1.1",
                "vdpau/libvdpau_nvidia.so.1", "vdpau/libvdpau_nvidia.so." + VERSION));
  }

  @Test
  void loadersOfGraphicsAreToldOfTheDriverWhereTheyLook() throws IOException {
    for (String name :
        ImmutableList.of(
            "etc/OpenCL/vendors/nvidia.icd",
            "usr/share/vulkan/icd.d/nvidia_icd.x86_64.json",
            "vulkan/icd.d/nvidia_layers.json",
            "usr/share/glvnd/egl_vendor.d/10_nvidia.json",
            "run/opengl-driver/share/nvidia/nvoptix.bin",
            "usr/share/vulkan/icd.d/other_icd.json")) {
      Files.createDirectories(root.resolve(name).resolveSibling(""));
      Files.createFile(root.resolve(name));
    }

    assertThat(edits().mounts())
        .filteredOn(mount -> !mount.containerPath().contains("lib"))
        .containsExactlyInAnyOrder(
            file("etc/OpenCL/vendors/nvidia.icd", "/etc/OpenCL/vendors/nvidia.icd"),
            file(
                "usr/share/vulkan/icd.d/nvidia_icd.x86_64.json",
                "/etc/vulkan/icd.d/nvidia_icd.x86_64.json"),
            file("vulkan/icd.d/nvidia_layers.json", "/etc/vulkan/icd.d/nvidia_layers.json"),
            file(
                "usr/share/glvnd/egl_vendor.d/10_nvidia.json",
                "/usr/share/glvnd/egl_vendor.d/10_nvidia.json"),
            file("run/opengl-driver/share/nvidia/nvoptix.bin", "/usr/share/nvidia/nvoptix.bin"));
  }
}
