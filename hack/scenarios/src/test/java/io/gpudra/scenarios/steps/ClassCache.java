package io.gpudra.scenarios.steps;

import io.gpudra.controller.dra.ClassStore;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.simulator.actor.Meta;
import io.gpudra.simulator.api.Resource;
import io.gpudra.simulator.api.WatchEvent;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The classes as one controller knows them. */
final class ClassCache implements ClassStore {
  /** Ours, unless somebody edits it. */
  static final String GPU = "gpu";

  /** Always of the other driver. */
  static final String NET = "net";

  private final Map<String, ClassFacts> byName = new TreeMap<>();

  ClassCache(World world) {
    world.api().list(Resource.CLASSES).forEach(found -> put(Meta.name(found), Facts.driver(found)));
  }

  private void put(String name, String driver) {
    byName.put(name, new ClassFacts(name, driver, false, Optional.empty(), Optional.empty()));
  }

  void changed(WatchEvent event) {
    String name = Meta.name(event.object());
    if (event.type().equals("DELETED")) {
      byName.remove(name);
    } else {
      put(name, Facts.driver(event.object()));
    }
  }

  @Override
  public Optional<ClassFacts> get(String name) {
    return Optional.ofNullable(byName.get(name));
  }
}
