package io.gpudra.process;

import com.google.common.collect.ImmutableMap;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The pages of a port by their paths. */
final class HttpPages {

  private static final Logger log = LoggerFactory.getLogger(HttpPages.class);

  private final Map<String, HttpPage> byPath = new ConcurrentSkipListMap<>();
  private final boolean local;

  /**
   * No page yet.
   *
   * @param local whether the pages are for this machine only
   */
  HttpPages(boolean local) {
    this.local = local;
  }

  void add(String path, HttpPage page) {
    byPath.put(path, page);
  }

  PageContent answer(HttpRequest request) {
    if (request.decoderResult().isFailure()) {
      return PageContent.text(400, "that is no HTTP");
    }
    if (local && !LoopbackHost.isNamed(request.headers())) {
      return PageContent.text(403, "ask localhost, 127.0.0.1 or [::1]: no other name is answered");
    }
    if (local && LoopbackHost.isOfAnotherSite(request.headers())) {
      return PageContent.text(403, "no page of another site is answered");
    }
    QueryStringDecoder uri = new QueryStringDecoder(request.uri());
    HttpPage page = byPath.get(uri.rawPath());
    if (page == null) {
      return PageContent.text(404, "there is " + String.join(", ", byPath.keySet()));
    }
    return request.method().equals(HttpMethod.GET)
        ? ask(page, uri)
        : PageContent.text(405, "only GET");
  }

  private static PageContent ask(HttpPage page, QueryStringDecoder uri) {
    ImmutableMap<String, String> query;
    try {
      query = query(uri);
    } catch (IllegalArgumentException e) {
      return PageContent.text(400, "the query is not encoded as it should be");
    }
    try {
      return page.answer(query);
    } catch (RuntimeException e) {
      log.error("page failed path={}", uri.rawPath(), e);
      return PageContent.text(500, "failed, see the log");
    }
  }

  private static ImmutableMap<String, String> query(QueryStringDecoder uri) {
    return uri.parameters().entrySet().stream()
        .collect(
            ImmutableMap.toImmutableMap(
                Map.Entry::getKey, all -> all.getValue().get(all.getValue().size() - 1)));
  }
}
