package io.gpudra.simulator.api;

/** Names a resource as URLs do: group (empty for core), version, plural. */
public record Resource(String group, String version, String plural) {
  public static final Resource NAMESPACES = core("namespaces");
  public static final Resource NODES = core("nodes");
  public static final Resource PODS = core("pods");
  public static final Resource EVENTS = core("events");

  /** The same objects as {@link #EVENTS} in a newer shape. */
  public static final Resource NEW_EVENTS = new Resource("events.k8s.io", "v1", "events");

  public static final Resource CLAIMS = dra("resourceclaims");
  public static final Resource CLAIM_TEMPLATES = dra("resourceclaimtemplates");
  public static final Resource CLASSES = dra("resourceclasses");
  public static final Resource CONTEXTS = dra("podschedulingcontexts");
  public static final Resource LEASES = new Resource("coordination.k8s.io", "v1", "leases");
  public static final Resource CRDS =
      new Resource("apiextensions.k8s.io", "v1", "customresourcedefinitions");

  public static final Resource BUDGETS = new Resource("policy", "v1", "poddisruptionbudgets");

  /** What the errors of query parameters name. */
  public static final Resource OPTIONS = new Resource("meta.k8s.io", "v1", "options");

  private static Resource core(String plural) {
    return new Resource("", "v1", plural);
  }

  private static Resource dra(String plural) {
    return new Resource("resource.k8s.io", "v1alpha2", plural);
  }

  /** What objects carry as {@code apiVersion}. */
  public String apiVersion() {
    return group.isEmpty() ? version : group + "/" + version;
  }
}
