package io.gpudra.controller.gpu.cel;

import com.google.common.collect.Table;
import com.google.common.collect.TreeBasedTable;
import io.gpudra.crds.api.parameters.DeviceRequest;
import io.gpudra.crds.model.node.DeviceAttribute;

/**
 * A device as a driver publishes it in {@code resource.k8s.io/v1}: values by domain and name. What
 * is unknown is not there.
 */
public record V1DeviceValues(
    String driver,
    Table<String, String, Object> attributes,
    Table<String, String, Object> capacity) {

  /** A version of three numbers. */
  public record Semantic(long major, long minor, long patch) {}

  /** The values that {@link V1Name} names, those of capabilities, and a type. */
  public static V1DeviceValues of(CelDevice device, String type) {
    V1DeviceValues values =
        new V1DeviceValues(device.driver(), TreeBasedTable.create(), TreeBasedTable.create());
    V1Name.all().forEach(name -> values.publish(name, device));
    DeviceRequest.CAPABILITIES.forEach(
        one -> values.attributes.put(device.driver(), one, device.capabilities().contains(one)));
    values.attributes.put(device.driver(), DeviceAttribute.TYPE.shortName(), type);
    return values;
  }

  private void publish(V1Name name, CelDevice device) {
    Object value = AttributeReader.value(name.attribute(), device);
    if (!name.maybeAbsent() || !(value.equals("") || value.equals(-1L))) {
      (name.place() == V1Name.Place.CAPACITY ? capacity : attributes)
          .put(name.domain().isEmpty() ? driver : name.domain(), name.name(), published(value));
    }
  }

  private static Object published(Object value) {
    return value instanceof DottedVersion version
        ? new Semantic(version.first(), version.second(), version.third())
        : value;
  }
}
