package io.gpudra.process;

import com.google.common.collect.ImmutableSet;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Which host a browser believes that it speaks with. A page of the web can have its own name point
 * to the loopback address; then it may read the answers, but not choose this header.
 */
public final class LoopbackHost {

  /** With whatever port: it may have been forwarded. */
  private static final Pattern LOOPBACK =
      Pattern.compile("(localhost|127\\.0\\.0\\.1|\\[::1])(:[0-9]{1,5})?");

  private static final ImmutableSet<String> OWN = ImmutableSet.of("none", "same-origin");

  private LoopbackHost() {}

  /** Whether the request was made for this machine by its own name. */
  public static boolean isNamed(HttpHeaders headers) {
    List<String> hosts = headers.getAll(HttpHeaderNames.HOST);
    return hosts.size() == 1 && LOOPBACK.matcher(hosts.get(0).toLowerCase(Locale.ROOT)).matches();
  }

  /** Whether a browser sends it for a page of the web, which cannot choose this header either. */
  public static boolean isOfAnotherSite(HttpHeaders headers) {
    return !OWN.contains(headers.get("sec-fetch-site", "none"));
  }
}
