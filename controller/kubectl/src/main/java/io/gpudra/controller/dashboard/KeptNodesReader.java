package io.gpudra.controller.dashboard;

import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.view.UserView;
import io.gpudra.controller.view.explain.GroupWithNodes;
import io.gpudra.controller.view.explain.GroupsAtGates;
import io.gpudra.controller.view.explain.GroupsAtGates.SeenNotice;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads for which group nodes are kept. Only the leader knows it, and says it in events on the
 * members of the group, which are read only while groups wait.
 */
public final class KeptNodesReader {
  private static final String SELECTOR = "reason=" + GroupsAtGates.REASON;

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
    for (String namespace : groups.namespaces()) {
      for (EventReader.SeenEvent event : reader.events(namespace, SELECTOR)) {
        event
            .at()
            .map(at -> new SeenNotice(namespace, event.object(), at, event.message()))
            .ifPresent(notices::add);
      }
    }
    return groups.kept(notices, userView.now());
  }
}
