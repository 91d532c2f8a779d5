package io.gpudra.simulator.kinds;

import static io.gpudra.simulator.api.Json.at;
import static io.gpudra.simulator.api.Json.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Problems;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Rules of the core kinds but pods. */
final class CoreRules {
  private static final Pattern MICRO_TIME =
      Pattern.compile("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{6}(Z|[+-]\\d\\d:\\d\\d)");

  private CoreRules() {}

  /** The finalizer in their spec is what the namespace lifecycle removes at the end. */
  static final class Namespaces implements Rules {
    @Override
    public void prepareCreate(ObjectNode namespace) {
      namespace.set("spec", Json.object("finalizers", List.of("kubernetes")));
      namespace.set("status", Json.object("phase", "Active"));
      prepareUpdate(namespace, namespace);
    }

    @Override
    public void prepareUpdate(ObjectNode next, ObjectNode old) {
      Json.put(next, "spec", old.path("spec"));
      ObjectNode labels = Json.meta(next).withObjectProperty("labels");
      labels.put("kubernetes.io/metadata.name", text(next, "metadata.name"));
    }
  }

  /** A secret has a type. */
  static final class Secrets implements Rules {
    @Override
    public void prepareCreate(ObjectNode secret) {
      secret.putIfAbsent("type", TextNode.valueOf("Opaque"));
    }
  }

  /** Positive duration, times with exactly six decimals. */
  static final class Leases implements Rules {
    @Override
    public void prepareCreate(ObjectNode lease) {
      lease.withObjectProperty("spec");
    }

    @Override
    public void check(Write write, Problems problems) {
      JsonNode duration = at(write.next(), "spec.leaseDurationSeconds");
      if (duration.asInt(1) <= 0) {
        problems.invalid("spec.leaseDurationSeconds", duration, "must be greater than 0");
      }
      JsonNode transitions = at(write.next(), "spec.leaseTransitions");
      if (transitions.asInt() < 0) {
        String text = "must be greater than or equal to 0";
        problems.invalid("spec.leaseTransitions", transitions, text);
      }
    }

    @Override
    public Optional<String> undecodable(ObjectNode body) {
      for (String name : List.of("acquireTime", "renewTime")) {
        JsonNode time = at(body, "spec." + name);
        if (!time.isMissingNode() && !MICRO_TIME.matcher(time.asText()).matches()) {
          String layout = "2006-01-02T15:04:05.000000Z07:00";
          String text = "parsing time %s as \"%s\": cannot parse \"%s\" as \".000000\"";
          String rest = time.asText().replaceFirst("^[-\\dT:]{19}", "");
          return Optional.of(text.formatted(time, layout, rest));
        }
      }
      return Optional.empty();
    }
  }
}
