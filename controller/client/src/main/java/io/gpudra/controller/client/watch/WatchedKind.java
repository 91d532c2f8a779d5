package io.gpudra.controller.client.watch;

import com.google.common.collect.ImmutableMap;
import java.util.Map;
import java.util.function.Function;

/**
 * A kind of objects to read or watch, in all namespaces by default.
 *
 * @param path of the collection, such as {@code /apis/resource.k8s.io/v1alpha2/resourceclaims}
 * @param apiVersion of the objects; items of a list do not carry it (defect 20)
 * @param kind of the objects
 * @param fields the fields of an object to read
 * @param type client-java model or record that Gson reads
 * @param keep gives the value to remember; may throw on a malformed object
 * @param query of lists and watches: {@code fieldSelector} and {@code labelSelector}; empty for all
 *     objects
 */
public record WatchedKind<T, V>(
    String path,
    String apiVersion,
    String kind,
    FieldFilter fields,
    Class<T> type,
    Function<T, V> keep,
    ImmutableMap<String, String> query) {

  /** All objects of a kind. */
  public WatchedKind(
      String path,
      String apiVersion,
      String kind,
      FieldFilter fields,
      Class<T> type,
      Function<T, V> keep) {
    this(path, apiVersion, kind, fields, type, keep, ImmutableMap.of());
  }

  /** The last segment of the path: the resource's name in URLs and metrics. */
  public String plural() {
    return path.substring(path.lastIndexOf('/') + 1);
  }

  /** The same kind in one namespace; it must be namespaced. */
  public WatchedKind<T, V> in(String namespace) {
    int last = path.lastIndexOf('/');
    String there = path.substring(0, last) + "/namespaces/" + namespace + path.substring(last);
    return new WatchedKind<>(there, apiVersion, kind, fields, type, keep, query);
  }

  /** The objects of the kind that match these selectors. */
  public WatchedKind<T, V> where(ImmutableMap<String, String> selectors) {
    return new WatchedKind<>(path, apiVersion, kind, fields, type, keep, selectors);
  }

  /** A query for these objects. */
  ImmutableMap<String, String> query(Map<String, String> more) {
    return ImmutableMap.<String, String>builder().putAll(query).putAll(more).buildOrThrow();
  }
}
