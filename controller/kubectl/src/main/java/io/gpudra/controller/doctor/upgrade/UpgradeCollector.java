package io.gpudra.controller.doctor.upgrade;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.doctor.InstallationReader;
import io.gpudra.controller.kube.KubeSettings;
import io.gpudra.controller.kube.ServerSupport;
import io.gpudra.crds.text.UtcTimes;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

/** Collects and evaluates the state of an upgrade. */
public final class UpgradeCollector {
  private static final String GROUP = "resource.k8s.io";
  private static final String V1 = "v1";
  private static final ImmutableSet<String> LEFTOVERS =
      ImmutableSet.of("resourceclaims", "resourceclaimtemplates", "podschedulingcontexts");

  private final InstallationReader reader;
  private final ServerSupport server;
  private final KubeSettings settings;
  private final int target;

  private UpgradeCollector(
      InstallationReader reader, ServerSupport server, KubeSettings settings, int target) {
    this.reader = reader;
    this.server = server;
    this.settings = settings;
    this.target = target;
  }

  /**
   * The steps, and checks that were not possible.
   *
   * @param replaced whether the API server is of 1.31 or later
   * @param steps in their order
   * @param unseen a sentence for each check that was not possible
   */
  public record Result(
      boolean replaced, ImmutableList<UpgradeStep> steps, ImmutableList<String> unseen) {

    /** The number of steps that cannot be left out. */
    public long blocking() {
      return steps.stream().filter(step -> step.kind().blocking()).count();
    }
  }

  /**
   * Collects and evaluates the state.
   *
   * @param target the minor version at the end of the upgrade
   * @throws IOException when the server cannot be reached
   */
  public static Result of(HttpClients http, KubeSettings settings, int target) throws IOException {
    InstallationReader reader = new InstallationReader(http.calls());
    return new UpgradeCollector(reader, ServerSupport.of(http), settings, target).result();
  }

  private Result result() throws IOException {
    boolean replaced = server.minor() > UpgradeState.LAST_CLASSIC;
    UpgradeState state = replaced ? after() : before();
    Stream<UpgradeStep> steps =
        replaced ? new LeftoverChecks(state).steps() : new UpgradeChecks(state).steps();
    return new Result(replaced, steps.collect(ImmutableList.toImmutableList()), reader.unseen());
  }

  private UpgradeState before() throws IOException {
    if (!server.classic()) {
      reader.unseen(GROUP, "the server does not serve v1alpha2, in which objects may be stored");
    }
    return state(objects(Stream.of(StoredKind.values())), led(), ImmutableSet.of());
  }

  private UpgradeState after() throws IOException {
    return state(
        objects(Stream.of(StoredKind.values()).filter(StoredKind::outlivesTheUpgrade)),
        false,
        unreadable());
  }

  private UpgradeState state(
      ImmutableListMultimap<StoredKind, StoredObject> objects,
      boolean led,
      ImmutableSet<String> unreadable) {
    boolean served = !server.resourceVersions().isEmpty();
    return new UpgradeState(settings.finalizer(), target, led, served, objects, unreadable);
  }

  private ImmutableListMultimap<StoredKind, StoredObject> objects(Stream<StoredKind> kinds)
      throws IOException {
    ImmutableListMultimap.Builder<StoredKind, StoredObject> objects =
        ImmutableListMultimap.builder();
    for (StoredKind kind : kinds.toList()) {
      reader.keep(
          kind.plural(),
          kind.path(),
          json -> {
            boolean matters = kind.matters(json);
            if (matters) {
              objects.put(kind, new StoredObject(kind, json));
            }
            return matters;
          });
    }
    return objects.build();
  }

  /** Whether a controller renews the lease, in whichever namespace. */
  private boolean led() throws IOException {
    AtomicBoolean led = new AtomicBoolean();
    String selector = InstallationReader.escaped("metadata.name=" + settings.driverName());
    reader.list(
        "leases",
        "/apis/coordination.k8s.io/v1/leases?fieldSelector=" + selector,
        lease -> led.compareAndSet(false, holds(lease.path("spec"))));
    return led.get();
  }

  private boolean holds(JsonNode lease) {
    return !lease.path("holderIdentity").asText().isEmpty()
        && UtcTimes.withAnyOffset(lease.path("renewTime").asText())
            .map(time -> time.plusSeconds(lease.path("leaseDurationSeconds").asLong()))
            .filter(end -> end.isAfter(settings.clock().instant()))
            .isPresent();
  }

  private ImmutableSet<String> unreadable() throws IOException {
    ImmutableSet.Builder<String> unreadable = ImmutableSet.builder();
    for (String plural :
        server.resourceVersions().isEmpty() ? ImmutableSet.<String>of() : LEFTOVERS) {
      if (reader.fails(plural, "/apis/%s/%s/%s".formatted(GROUP, newest(), plural))) {
        unreadable.add(plural);
      }
    }
    return unreadable.build();
  }

  private String newest() {
    return server.resourceVersions().contains(V1) ? V1 : server.resourceVersions().last();
  }
}
