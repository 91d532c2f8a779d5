package io.gpudra.process;

import com.google.common.collect.ImmutableSet;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Checks the host to which a browser believes it is connected. A web page can point its own name at
 * the loopback address and read the answers, but it cannot choose this header.
 */
public final class LoopbackHost {

  /** The names with any port, since the port may be forwarded. */
  private static final Pattern LOOPBACK =
      Pattern.compile("(localhost|127\\.0\\.0\\.1|\\[::1])(:[0-9]{1,5})?");

  private static final ImmutableSet<String> OWN = ImmutableSet.of("none", "same-origin");

  private LoopbackHost() {}

  /** Whether the request names this machine by one of its own names. */
  public static boolean isNamed(HttpHeaders headers) {
    List<String> hosts = headers.getAll(HttpHeaderNames.HOST);
    return hosts.size() == 1 && LOOPBACK.matcher(hosts.get(0).toLowerCase(Locale.ROOT)).matches();
  }

  /**
   * Whether a browser sends the request for a page of another site; the page cannot choose this
   * header either.
   */
  public static boolean isOfAnotherSite(HttpHeaders headers) {
    return !OWN.contains(headers.get("sec-fetch-site", "none"));
  }
}
