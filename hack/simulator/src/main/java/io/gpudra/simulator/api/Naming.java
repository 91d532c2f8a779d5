package io.gpudra.simulator.api;

import java.util.random.RandomGenerator;
import java.util.regex.Pattern;

/** The rules that names of objects and finalizers obey. */
public final class Naming {
  private static final String DOMAIN = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
  private static final Pattern SUBDOMAIN = Pattern.compile(DOMAIN + "(\\." + DOMAIN + ")*");
  private static final Pattern QUALIFIED =
      Pattern.compile("[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?");
  private static final int SUBDOMAIN_LIMIT = 253;
  private static final String SUFFIX_LETTERS = "bcdfghjklmnpqrstvwxz2456789";
  private static final int SUFFIX_LENGTH = 5;

  private static final String LABEL = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
  private static final Pattern LABEL_PART = Pattern.compile(LABEL);
  private static final int LABEL_LIMIT = 63;

  /** What is said of the key of a label. */
  public static final String LABEL_NAME_RULE =
      "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end"
          + " with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used"
          + (" for validation is '" + LABEL + "')");

  /** What is said of the value of a label. */
  public static final String LABEL_VALUE_RULE =
      "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or"
          + " '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or"
          + (" 'my_value',  or '12345', regex used for validation is '(" + LABEL + ")?')");

  /** What is said of a name that is no DNS subdomain. */
  static final String SUBDOMAIN_RULE =
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or"
          + " '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex"
          + (" used for validation is '" + SUBDOMAIN + "')");

  private Naming() {}

  /** Whether the text is a DNS subdomain of at most 253 characters. */
  public static boolean isSubdomain(String text) {
    return text.length() <= SUBDOMAIN_LIMIT && SUBDOMAIN.matcher(text).matches();
  }

  /** Whether the text is {@code prefix/name}, as finalizers of users must be. */
  public static boolean isQualified(String text) {
    int slash = text.indexOf('/');
    return slash > 0
        && isSubdomain(text.substring(0, slash))
        && QUALIFIED.matcher(text.substring(slash + 1)).matches();
  }

  /** Whether the text can be the key of a label, with or without a prefix. */
  public static boolean isLabelName(String text) {
    return isQualified(text) || (!text.isEmpty() && isLabelValue(text));
  }

  /** Whether the text can be the value of a label. */
  public static boolean isLabelValue(String text) {
    return text.isEmpty() || (text.length() <= LABEL_LIMIT && LABEL_PART.matcher(text).matches());
  }

  /** What makes a generated name unique. */
  public static String randomSuffix(RandomGenerator random) {
    StringBuilder suffix = new StringBuilder();
    for (int i = 0; i < SUFFIX_LENGTH; i++) {
      suffix.append(SUFFIX_LETTERS.charAt(random.nextInt(SUFFIX_LETTERS.length())));
    }
    return suffix.toString();
  }
}
