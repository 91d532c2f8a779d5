package io.gpudra.controller.dashboard;

import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.client.watch.ListLimit;
import io.gpudra.controller.dashboard.EventReader.SeenEvent;
import io.gpudra.controller.view.UserView;
import io.gpudra.controller.view.explain.GroupWithNodes;
import io.gpudra.controller.view.explain.GroupsAtGates;
import io.gpudra.controller.view.explain.GroupsAtGates.SeenNotice;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads for which group nodes are kept. Only the leader knows it, and says it in events on the
 * members of the group, which are read only while groups wait.
 */
public final class KeptNodesReader {
  private static final String SELECTOR = "reason=" + GroupsAtGates.REASON;

  /** For the events of all namespaces. */
  private static final Duration TIME = Duration.ofSeconds(10);

  /** Of the answer of a namespace: enough for a thousand events of ours. */
  private static final long CHARACTERS = 2 << 20;

  private KeptNodesReader() {}

  /**
   * The group; empty if there is none, or if the caller may not read its pods or their events.
   *
   * @throws IOException when the server does not answer
   */
  public static Optional<GroupWithNodes> of(HttpClients http, UserView userView)
      throws IOException {
    GroupsAtGates groups = new GroupsAtGates(userView);
    EventReader reader = new EventReader(http);
    List<SeenNotice> notices = new ArrayList<>();
    long end = System.nanoTime() + TIME.toNanos();
    for (String namespace : groups.namespaces()) {
      boolean unused =
          reader.events(
              namespace,
              SELECTOR,
              ListLimit.until(end, CHARACTERS),
              event -> notice(namespace, event).ifPresent(notices::add));
    }
    return groups.kept(notices, userView.now());
  }

  /** Tenants can write events with this reason and any text. */
  private static Optional<SeenNotice> notice(String namespace, SeenEvent event) {
    return event
        .at()
        .filter(at -> GroupsAtGates.isNotice(event.message()))
        .map(at -> new SeenNotice(namespace, event.object(), at, event.message()));
  }
}
