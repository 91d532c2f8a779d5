package io.gpudra.simulator.kubelet;

import java.util.regex.Pattern;

/** The grammar of CDI names (protocol 5.2). */
final class CdiNames {
  private static final String VENDOR = "[A-Za-z](?:[A-Za-z0-9_.-]*[A-Za-z0-9])";
  private static final String CLASS = "[A-Za-z](?:[A-Za-z0-9_-]*[A-Za-z0-9])";
  private static final String CLASS_WITH_DOTS = "[A-Za-z](?:[A-Za-z0-9_.-]*[A-Za-z0-9])";
  private static final String DEVICE = "[A-Za-z0-9](?:[A-Za-z0-9_.:-]*[A-Za-z0-9])?";
  private static final Pattern QUALIFIED = Pattern.compile(VENDOR + "/" + CLASS + "=" + DEVICE);
  private static final Pattern KIND = Pattern.compile(VENDOR + "/" + CLASS_WITH_DOTS);
  private static final Pattern DEVICE_NAME = Pattern.compile(DEVICE);

  private CdiNames() {}

  /** As a kubelet up to 1.30 takes it: no dots in the class, two characters at least. */
  static boolean qualified(String name) {
    return QUALIFIED.matcher(name).matches();
  }

  static boolean kind(String kind) {
    return KIND.matcher(kind).matches();
  }

  static boolean device(String name) {
    return DEVICE_NAME.matcher(name).matches();
  }
}
