package io.gpudra.crds.api;

/** Names of the API group. */
public final class GpuApi {
  /** Fixed; it does not follow the driver's name. */
  public static final String GROUP = "gpu.resource.example.com";

  /** The version that is served and stored. */
  public static final String VERSION = "v1alpha1";

  /** The value of {@code apiVersion}. */
  public static final String GROUP_VERSION = GROUP + "/" + VERSION;

  private GpuApi() {}
}
