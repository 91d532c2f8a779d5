package io.gpudra.controller.doctor;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import io.gpudra.crds.api.GpuApi;
import java.util.List;
import java.util.stream.Stream;

/** The permissions that controller and plugin need. */
enum RbacPermission {
  CONTROLLER(
      "resource.k8s.io resourceclaims get,list,watch,patch",
      "resource.k8s.io resourceclaims/status patch",
      "resource.k8s.io podschedulingcontexts get,list,watch",
      "resource.k8s.io podschedulingcontexts/status patch",
      "resource.k8s.io resourceclasses get,list,watch",
      "GPU gpuclaimparameters get,list,watch",
      "GPU gpuclassparameters get,list,watch",
      "GPU gpuquotas get,list,watch",
      "GPU gpuclaimparameters/status patch",
      "GPU gpuclassparameters/status patch",
      "GPU gpuquotas/status patch",
      "GPU nodeinventories get,list,watch",
      "CORE nodes get,list,watch",
      "CORE namespaces get,list,watch",
      "CORE pods get",
      "CORE events create,patch"),
  /** In addition, with {@code --gates}. */
  GATES("CORE pods list,watch,patch"),
  PLUGIN(
      "CORE nodes get",
      "resource.k8s.io resourceclaims get",
      "GPU nodeinventories get,create",
      "GPU nodeinventories/status patch");

  private final ImmutableList<String> lines;

  RbacPermission(String... lines) {
    this.lines = ImmutableList.copyOf(lines);
  }

  /**
   * One permission.
   *
   * @param group empty for the core group
   * @param resource with its subresource, such as {@code resourceclaims/status}
   */
  record Right(String group, String resource, String verb) {

    String text() {
      return verb + " " + resource + (group.isEmpty() ? "" : " of " + group);
    }
  }

  ImmutableList<Right> all() {
    return lines.stream().flatMap(RbacPermission::parse).collect(ImmutableList.toImmutableList());
  }

  private static Stream<Right> parse(String line) {
    List<String> words = Splitter.on(' ').splitToList(line);
    String group =
        switch (words.get(0)) {
          case "CORE" -> "";
          case "GPU" -> GpuApi.GROUP;
          default -> words.get(0);
        };
    return Splitter.on(',')
        .splitToStream(words.get(2))
        .map(verb -> new Right(group, words.get(1), verb));
  }
}
