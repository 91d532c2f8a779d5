package io.gpudra.kubeletplugin.device.nvidia;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedMap;
import io.gpudra.kubeletplugin.cdi.ContainerEdits;
import io.gpudra.kubeletplugin.cdi.ContainerEdits.Hook;
import io.gpudra.kubeletplugin.cdi.ContainerEdits.Mount;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The edits by which the programs of a container find the driver's libraries.
 *
 * @param libraries files by the names under which programs load them
 */
record LibraryEdits(DriverRoot root, String version, ImmutableSortedMap<String, Path> libraries) {

  /**
   * The directories: CUDA images search the first; the linkers of Debian and of Red Hat search
   * theirs by default.
   */
  private static final ImmutableList<Path> PLACES =
      ImmutableList.of(
          Path.of("/usr/local/nvidia/lib64"),
          Path.of("/usr/lib", ElfHeader.multiarch()),
          Path.of("/usr/lib64"));

  /** Further names under which programs load a library, and that no linker creates. */
  private static final ImmutableMap<String, String> MORE_NAMES =
      ImmutableMap.of(
          DriverLibraries.CUDA,
          "libcuda.so",
          "libGLX_nvidia.so.0",
          "libGLX_indirect.so.0",
          "libnvidia-allocator.so.1",
          "gbm/nvidia-drm_gbm.so",
          "libnvidia-opticalflow.so.1",
          "libnvidia-opticalflow.so");

  /** Has a version in its own name only. */
  private static final String VULKAN = "libnvidia-vulkan-producer.so";

  private Optional<String> anotherName(String name) {
    return name.equals(VULKAN + "." + version)
        ? Optional.of(VULKAN)
        : Optional.ofNullable(MORE_NAMES.get(name));
  }

  /** Mounts each library under all of its names, in the directories that linkers search. */
  ContainerEdits byName() {
    ImmutableSet.Builder<Mount> mounts = ImmutableSet.builder();
    for (Path place : PLACES) {
      libraries.forEach(
          (name, file) -> {
            mounts.add(mount(file, place.resolve(name)));
            anotherName(name).ifPresent(other -> mounts.add(mount(file, place.resolve(other))));
          });
    }
    return ContainerEdits.mounts(mounts.build());
  }

  /** Mounts each library at its path on the node; hooks inform the container's linker. */
  ContainerEdits withHooks(ContainerToolkit toolkit) {
    ImmutableSet.Builder<Mount> mounts = ImmutableSet.builder();
    ImmutableSet.Builder<String> folders = ImmutableSet.builder();
    libraries
        .values()
        .forEach(
            file -> {
              mounts.add(mount(file, root.inside(file)));
              folders.add(root.inside(file).resolveSibling("").toString());
            });
    return ContainerEdits.mounts(mounts.build()).plus(hooks(toolkit, folders.build()));
  }

  /** The hooks in their necessary order: the linker comes after the files that it must find. */
  private ContainerEdits hooks(ContainerToolkit toolkit, ImmutableSet<String> folders) {
    ImmutableList.Builder<Hook> hooks = ImmutableList.builder();
    hooks.add(toolkit.hook(ContainerToolkit.CREATE_SYMLINKS, links()));
    if (toolkit.knows(ContainerToolkit.ENABLE_CUDA_COMPAT)) {
      hooks.add(
          toolkit.hook(
              ContainerToolkit.ENABLE_CUDA_COMPAT,
              ImmutableList.of("--host-driver-version=" + version)));
    }
    ImmutableList.Builder<String> cache = ImmutableList.builder();
    folders.forEach(folder -> cache.add("--folder", folder));
    hooks.add(toolkit.hook(ContainerToolkit.UPDATE_LDCACHE, cache.build()));
    for (String last : ContainerToolkit.LAST) {
      if (toolkit.knows(last)) {
        hooks.add(toolkit.hook(last, ImmutableList.of()));
      }
    }
    return ContainerEdits.hooks(hooks.build());
  }

  private ImmutableList<String> links() {
    Map<Path, Path> links = new LinkedHashMap<>();
    libraries.forEach(
        (name, file) -> {
          Path inside = root.inside(file);
          Path loaded = inside.resolveSibling(Path.of(name).getFileName());
          // Skips a link to itself, which the mount would block.
          if (!inside.equals(loaded)) {
            links.putIfAbsent(loaded, inside);
          }
          anotherName(name)
              .ifPresent(other -> links.putIfAbsent(inside.resolveSibling(other), loaded));
        });
    ImmutableList.Builder<String> arguments = ImmutableList.builder();
    links.forEach(
        (link, target) ->
            arguments.add(
                "--link", "%s::%s".formatted(link.resolveSibling("").relativize(target), link)));
    return arguments.build();
  }

  private Mount mount(Path file, Path container) {
    return Mount.readOnly(root.onHost(file).toString(), container.toString());
  }
}
