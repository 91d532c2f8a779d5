package io.gpudra.kubeletplugin.cdi;

import io.gpudra.crds.model.ClaimUid;
import java.util.Optional;
import java.util.regex.Pattern;

/** The names of one driver's claims in CDI (api.md 6.2, protocol.md 5.2). */
public record CdiNames(String driverName) {

  static final String CLASS = "claim";

  /** UIDs that are valid CDI device names and safe as part of a file name. */
  private static final Pattern UID = Pattern.compile("[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?");

  private static final String JSON = ".json";

  /** Whether a claim of this UID can be named; any other UID came from no API server. */
  public static boolean canName(ClaimUid uid) {
    return UID.matcher(uid.value()).matches();
  }

  /** Vendor and class. */
  public String kind() {
    return vendor() + "/" + CLASS;
  }

  /** The part after the equals sign; starts with a letter, so that version 0.3.0 suffices. */
  public String deviceName(ClaimUid uid) {
    return "claim-" + uid.value();
  }

  /** The name that the kubelet passes to the runtime. */
  public String qualifiedDevice(ClaimUid uid) {
    return kind() + "=" + deviceName(uid);
  }

  String fileName(ClaimUid uid) {
    return filePrefix() + uid.value() + JSON;
  }

  String filePrefix() {
    return vendor() + "-" + CLASS + "_";
  }

  /** The claim of a file, if it is one of this driver's. */
  Optional<ClaimUid> claimOf(String fileName) {
    if (!fileName.startsWith(filePrefix()) || !fileName.endsWith(JSON)) {
      return Optional.empty();
    }
    String uid = fileName.substring(filePrefix().length(), fileName.length() - JSON.length());
    return Optional.of(new ClaimUid(uid)).filter(CdiNames::canName);
  }

  private String vendor() {
    return "k8s." + driverName;
  }
}
