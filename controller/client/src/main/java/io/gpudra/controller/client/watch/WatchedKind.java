package io.gpudra.controller.client.watch;

import java.util.function.Function;

/**
 * Objects to be read or watched, in all namespaces unless told otherwise.
 *
 * @param path of the collection, such as {@code /apis/resource.k8s.io/v1alpha2/resourceclaims}
 * @param apiVersion of the objects; those of a list do not carry it (defect 20)
 * @param kind of the objects
 * @param fields what of an object is read at all
 * @param type client-java model or record that Gson reads
 * @param keep what of an object is remembered; may throw on an object that cannot be understood
 */
public record WatchedKind<T, V>(
    String path,
    String apiVersion,
    String kind,
    Fields fields,
    Class<T> type,
    Function<T, V> keep) {

  /** The last segment of the path: the resource's name in URLs and metrics. */
  public String plural() {
    return path.substring(path.lastIndexOf('/') + 1);
  }

  /** The same of one namespace; the kind must have namespaces. */
  public WatchedKind<T, V> in(String namespace) {
    int last = path.lastIndexOf('/');
    String there = path.substring(0, last) + "/namespaces/" + namespace + path.substring(last);
    return new WatchedKind<>(there, apiVersion, kind, fields, type, keep);
  }
}
