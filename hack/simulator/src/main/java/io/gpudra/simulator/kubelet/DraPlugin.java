package io.gpudra.simulator.kubelet;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The calls a kubelet makes to one driver's plugin; any thread, several at once. */
public interface DraPlugin {

  Reply prepare(List<ClaimCall> claims);

  Reply unprepare(List<ClaimCall> claims);

  /** The plugins registered on a node. */
  interface Finder {
    /** The plugin of a driver, by its exact name; empty as long as none is registered. */
    Optional<DraPlugin> find(String driver);
  }

  /**
   * A claim, as a plugin is told of it.
   *
   * @param handle opaque data of the resource handle that names this driver
   */
  record ClaimCall(String namespace, String uid, String name, String handle) {}

  /**
   * What a plugin says about one claim.
   *
   * @param cdiDevices qualified CDI names; empty after an unprepare
   * @param error empty for success
   */
  record ClaimAnswer(List<String> cdiDevices, String error) {}

  /**
   * What a plugin says to one call.
   *
   * @param claims by claim UID
   * @param failure of the whole call, as a gRPC client words it; then there are no claims
   */
  record Reply(Map<String, ClaimAnswer> claims, Optional<String> failure) {
    public static Reply of(Map<String, ClaimAnswer> claims) {
      return new Reply(claims, Optional.empty());
    }

    public static Reply failed(String failure) {
      return new Reply(Map.of(), Optional.of(failure));
    }
  }
}
