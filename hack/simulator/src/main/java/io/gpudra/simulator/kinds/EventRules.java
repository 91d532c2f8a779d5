package io.gpudra.simulator.kinds;

import static io.gpudra.simulator.api.Json.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableSet;
import io.gpudra.simulator.api.Naming;
import io.gpudra.simulator.api.Problems;
import java.util.List;
import java.util.Optional;

/** What is demanded of events, in the names of the core group. */
class EventRules implements Rules {
  private static final ImmutableSet<String> HOMES_OF_NEW =
      ImmutableSet.of("default", "kube-system");

  @Override
  public void prepareCreate(ObjectNode event) {
    EventShapes.complete(event);
  }

  @Override
  public void check(Write write, Problems problems) {
    check(write.next(), "reportingComponent", problems);
  }

  /** Events live in the namespace of what they are about. */
  static void check(ObjectNode event, String reporter, Problems problems) {
    String about = text(event, "involvedObject.namespace");
    String home = text(event, "metadata.namespace");
    boolean timed = !text(event, "eventTime").isEmpty();
    boolean atHome =
        about.isEmpty()
            ? timed ? HOMES_OF_NEW.contains(home) : home.equals("default")
            : timed || home.equals(about);
    if (!atHome) {
      problems.invalid("involvedObject.namespace", about, "does not match event.namespace");
    }
    if (timed) {
      checkReporter(text(event, "reportingComponent"), reporter, problems);
      for (String name : List.of("reportingInstance", "action", "reason")) {
        if (text(event, name).isEmpty()) {
          problems.required(name, "");
        }
      }
    }
  }

  private static void checkReporter(String name, String field, Problems problems) {
    if (name.isEmpty()) {
      problems.required(field, "").invalid(field, name, "name part must be non-empty");
    }
    if (name.isEmpty() || !Naming.isLabelName(name)) {
      problems.invalid(field, name, Naming.LABEL_NAME_RULE);
    }
  }

  /** Of {@code events.k8s.io}: most fields are required, and none but the series may change. */
  static final class Strict extends EventRules {
    private static final ImmutableSet<String> TYPES = ImmutableSet.of("Normal", "Warning");
    private static final List<String> IMMUTABLE =
        List.of("involvedObject", "reason", "message", "type", "related", "action", "eventTime");

    @Override
    public void prepareCreate(ObjectNode event) {
      event.withObjectProperty("deprecatedSource");
      event.withObjectProperty("regarding");
    }

    @Override
    public void check(Write write, Problems problems) {
      ObjectNode event = EventShapes.original(write.next().deepCopy());
      check(event, "reportingController", problems);
      Optional<ObjectNode> old = write.old().map(ObjectNode::deepCopy).map(EventShapes::original);
      if (old.isPresent()) {
        IMMUTABLE.forEach(name -> problems.immutable(name, old.get().path(name), event.path(name)));
      } else {
        checkNew(event, problems);
      }
    }

    private static void checkNew(JsonNode event, Problems problems) {
      if (text(event, "eventTime").isEmpty()) {
        problems.required("eventTime", "");
      }
      String type = text(event, "type");
      if (!TYPES.contains(type)) {
        problems.invalid("type", "", "has invalid value: " + type);
      }
    }
  }
}
