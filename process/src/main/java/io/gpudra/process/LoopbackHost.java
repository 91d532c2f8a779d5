package io.gpudra.process;

import com.google.common.collect.ImmutableSet;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Checks which host a browser believes it is talking to. A web page can point its own name at the
 * loopback address and read the answers, but it cannot choose this header.
 */
public final class LoopbackHost {

  /** With any port: it may have been forwarded. */
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
