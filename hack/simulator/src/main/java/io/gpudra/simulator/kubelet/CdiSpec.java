package io.gpudra.simulator.kubelet;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The rules for one CDI file (protocol.md 5.2 to 5.4), as containerd 1.7.27 has them.
 *
 * @param root the parsed file
 */
record CdiSpec(JsonNode root) {
  // The grammar of names. A class with a dot is good in a file, but no kubelet takes it.
  private static final String VENDOR = "[A-Za-z]([A-Za-z0-9_.-]*[A-Za-z0-9])";
  private static final String DEVICE_NAME = "[A-Za-z0-9]([A-Za-z0-9_.:-]*[A-Za-z0-9])?";
  private static final Pattern QUALIFIED =
      Pattern.compile(VENDOR + "/[A-Za-z]([A-Za-z0-9_-]*[A-Za-z0-9])=" + DEVICE_NAME);
  private static final List<String> VERSIONS =
      List.of("0.3.0", "0.4.0", "0.5.0", "0.6.0", "0.7.0", "0.8.0");
  private static final Set<String> ROOT =
      Set.of("cdiVersion", "kind", "annotations", "devices", "containerEdits");
  private static final Set<String> DEVICE = Set.of("name", "annotations", "containerEdits");
  private static final Set<String> EDITS =
      Set.of("env", "deviceNodes", "hooks", "mounts", "intelRdt", "additionalGids");
  private static final Set<String> NODE =
      Set.of("path", "hostPath", "type", "major", "minor", "fileMode", "permissions", "uid", "gid");
  private static final Set<String> MOUNT = Set.of("hostPath", "containerPath", "options", "type");
  private static final Set<String> HOOK = Set.of("hookName", "path", "args", "env", "timeout");
  private static final Set<String> HOOK_NAMES =
      Set.of(
          "prestart",
          "createRuntime",
          "createContainer",
          "startContainer",
          "poststart",
          "poststop");

  /** As a kubelet up to 1.30 takes the name of a device. */
  static boolean isQualified(String name) {
    return QUALIFIED.matcher(name).matches();
  }

  String kind() {
    return root.path("kind").asText();
  }

  JsonNode devices() {
    return root.path("devices");
  }

  /** The first rule the file breaks; such a file is skipped as a whole. */
  Optional<String> problem() {
    String version = root.path("cdiVersion").asText();
    if (!VERSIONS.contains(version)) {
      return Optional.of("invalid version \"%s\"".formatted(version));
    }
    if (!kind().matches(VENDOR + "/" + VENDOR)) {
      return Optional.of("invalid kind \"%s\"".formatted(kind()));
    }
    return unknownField(root, ROOT)
        .or(() -> editsProblem(root.path("containerEdits")))
        .or(this::devicesProblem)
        .or(() -> versionProblem(version));
  }

  private Optional<String> devicesProblem() {
    Set<String> names = new HashSet<>();
    for (JsonNode device : devices()) {
      String name = device.path("name").asText();
      if (!name.matches(DEVICE_NAME)) {
        return Optional.of("invalid device name \"%s\"".formatted(name));
      }
      if (!names.add(name)) {
        return Optional.of("device \"%s\" is there twice".formatted(name));
      }
      JsonNode edits = device.path("containerEdits");
      if (edits.isEmpty()) {
        return Optional.of("device \"%s\" has empty edits".formatted(name));
      }
      Optional<String> problem = unknownField(device, DEVICE).or(() -> editsProblem(edits));
      if (problem.isPresent()) {
        return problem;
      }
    }
    return Optional.empty();
  }

  private static Optional<String> editsProblem(JsonNode edits) {
    Optional<String> problem = unknownField(edits, EDITS);
    for (JsonNode env : edits.path("env")) {
      problem = problem.or(() -> check(env.asText().indexOf('=') > 0, "env \"%s\"", env));
    }
    for (JsonNode node : edits.path("deviceNodes")) {
      problem = problem.or(() -> nodeProblem(node));
    }
    for (JsonNode mount : edits.path("mounts")) {
      boolean complete = has(mount, "hostPath") && has(mount, "containerPath");
      problem =
          problem.or(() -> unknownField(mount, MOUNT)).or(() -> check(complete, "mount %s", mount));
    }
    for (JsonNode hook : edits.path("hooks")) {
      boolean known = HOOK_NAMES.contains(hook.path("hookName").asText());
      boolean absolute = hook.path("path").asText().startsWith("/");
      problem =
          problem
              .or(() -> unknownField(hook, HOOK))
              .or(() -> check(known && absolute, "hook %s", hook));
    }
    return problem;
  }

  private static Optional<String> nodeProblem(JsonNode node) {
    boolean type = Set.of("", "b", "c", "u", "p").contains(node.path("type").asText());
    boolean permissions = node.path("permissions").asText().matches("[rwm]*");
    return unknownField(node, NODE)
        .or(() -> check(has(node, "path") && type && permissions, "device node %s", node));
  }

  private static boolean has(JsonNode object, String field) {
    return !object.path(field).asText().isEmpty();
  }

  private static Optional<String> check(boolean holds, String what, JsonNode value) {
    String text = value.isTextual() ? value.asText() : value.toString();
    return holds ? Optional.empty() : Optional.of("invalid " + what.formatted(text));
  }

  private static Optional<String> unknownField(JsonNode object, Set<String> allowed) {
    for (var field : object.properties()) {
      if (!allowed.contains(field.getKey())) {
        return Optional.of("unknown field \"%s\"".formatted(field.getKey()));
      }
    }
    return Optional.empty();
  }

  private Optional<String> versionProblem(String version) {
    String needed = needed();
    return VERSIONS.indexOf(version) >= VERSIONS.indexOf(needed)
        ? Optional.empty()
        : Optional.of("the spec version must be at least v" + needed);
  }

  private String needed() {
    boolean dottedClass = kind().substring(kind().indexOf('/')).contains(".");
    List<String> needed = new ArrayList<>();
    needed.add(dottedClass || !root.path("annotations").isEmpty() ? "0.6.0" : "0.3.0");
    needed.add(needed(root.path("containerEdits")));
    for (JsonNode device : devices()) {
      boolean digit = Character.isDigit(device.path("name").asText().charAt(0));
      needed.add(digit ? "0.5.0" : "0.3.0");
      needed.add(device.path("annotations").isEmpty() ? "0.3.0" : "0.6.0");
      needed.add(needed(device.path("containerEdits")));
    }
    return Collections.max(needed);
  }

  private static String needed(JsonNode edits) {
    if (edits.has("intelRdt") || !edits.path("additionalGids").isEmpty()) {
      return "0.7.0";
    }
    if (edits.path("deviceNodes").findValue("hostPath") != null) {
      return "0.5.0";
    }
    return edits.path("mounts").findValue("type") != null ? "0.4.0" : "0.3.0";
  }
}
