package io.gpudra.controller.translate.convert;

import static io.gpudra.controller.translate.TranslationRemark.RowText.both;
import static io.gpudra.controller.translate.TranslationRemark.RowText.convert;

import io.gpudra.controller.translate.TranslationRemark.Row;
import io.gpudra.controller.translate.TranslationRemark.RowText;

/** What is converted of later versions and of device plugins, and taints in both directions. */
public enum ConversionField implements Row {
  DEVICE_CLASS(convert("ResourceClass and GpuClassParameters", "DeviceClass")),
  FOREIGN_CLASS(
      convert("", "DeviceClass of another driver, and its claims")
          .lost("devices of driver %s", "this driver has none; the object stays", "")),
  EXTENDED_RESOURCE(
      convert("", "extendedResourceName")
          .weaker(
              "every pod that asks for %s gets a device of the class",
              "the pods of these files do; a later pod needs a claim", "")),
  CLAIM_V1(convert("ResourceClaim and GpuClaimParameters", "ResourceClaim with devices")),
  NO_REQUEST(
      convert("", "a claim without requests, or a request without choices")
          .lost("a claim of nothing", "no equivalent", "write a request")),
  CONDITION(
      convert("", "selectors that this driver cannot read")
          .lost("a selector", "it is left out: %s", "write it in cel of the parameters")),
  ANY_MIG_DEVICE(
      convert("", "type == \"mig\" without a profile")
          .lost("a MIG device of any profile", "no equivalent", "name a profile")),
  CLASSES_DIFFER(
      convert("one claim for each class", "requests of several classes")
          .same("one claim with requests of several classes", "the claims %s")),
  FIRST_AVAILABLE(
      convert("", "firstAvailable beside other requests")
          .lost("the first choice of request %s that fits", "its first choice", "")),
  MATCH_ATTRIBUTE(
      convert("", "matchAttribute of some requests, or of another attribute")
          .lost("devices with equal %s", "any devices", "")),
  DISTINCT_ATTRIBUTE(
      convert("", "distinctAttribute").lost("devices that differ in %s", "any devices", "")),
  ADMIN_ACCESS(
      convert("a class with monitor: true", "adminAccess")
          .same(
              "every GPU of a node, also those in use",
              "the same of class %s, in namespaces with the label"
                  + " resource.kubernetes.io/admin-access")),
  ADMIN_ACCESS_COUNT(
      convert("a class with monitor: true", "adminAccess with count")
          .weaker("%d GPUs of a node, also those in use", "all GPUs of the node", "")),
  TOLERATIONS_DIFFER(
      convert("tolerations of the claim", "tolerations of one of several requests")
          .weaker("devices of one request tolerate the taints", "those of all requests do", "")),
  CONSUMED_CAPACITY(
      convert("", "capacity other than memory and millicores")
          .lost("%s of the capacity %s", "nothing is reserved", "")),
  OPAQUE_CONFIG(
      convert("", "config that this driver does not have").lost("%s", "it is left out", "")),
  UNKNOWN_FEATURE(convert("", "other fields").lost("%s", "it is left out", "")),
  CONTAINER_REQUEST(
      convert("one claim for each request", "a container that names a request")
          .same(
              "one claim, of which containers see single requests",
              "the claims %s, so that each container sees its own GPUs")),
  CONTAINER_REQUEST_TIED(
      convert("one claim", "a container that names a request of a claim with constraints")
          .lost(
              "a container sees the GPUs of one request",
              "it sees all GPUs of the claim, which its constraints keep together",
              "")),
  TOO_MANY_DEVICES(
      convert("count", "more than 32 devices")
          .same("%d devices, which no server of later versions takes", "up to 64 here")),
  RESOURCE_SLICE(
      convert("", "ResourceSlice")
          .same("devices that a driver publishes", "the plugin publishes a NodeInventory")),
  TAINT_RULE(both("spec.taints of a NodeInventory", "DeviceTaintRule")),
  TAINT_RULE_ANYWHERE(
      convert("", "DeviceTaintRule without a pool")
          .lost("a taint of devices of every node", "no equivalent", "name a pool")),
  GPU_LIMIT(convert("a claim of GPUs", "limit nvidia.com/gpu")),
  SHARED_LIMIT(
      convert("a claim of shares", "limit nvidia.com/gpu.shared")
          .weaker(
              "replicas of GPUs without memory of their own",
              "shares of %s",
              "change memoryLimit of the parameters")),
  MIG_LIMIT(convert("a claim of MIG devices", "limit nvidia.com/mig-…")),
  RUNTIME_CLASS(
      convert("", "runtimeClassName: nvidia")
          .same("the runtime adds the GPUs", "the claim does; the field is taken out")),
  VISIBLE_DEVICES(
      convert("", "NVIDIA_VISIBLE_DEVICES")
          .lost("the variable selects GPUs", "the claim does; the variable is without effect", "")),
  GPU_QUOTA_OF_PLUGIN(
      convert("", "requests.nvidia.com/gpu in a ResourceQuota")
          .lost(
              "GPUs of the namespace are counted",
              "there are none of this name",
              "use limits.devicesPerClaim of a class and count/resourceclaims.resource.k8s.io")),
  LONG_NAME(
      convert("a name with a hash", "names that become too long")
          .same("%s", "the name %s, since the other one is too long"));

  private final RowText text;

  ConversionField(RowText text) {
    this.text = text;
  }

  @Override
  public RowText text() {
    return text;
  }
}
