package io.gpudra.controller.lint;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.CommitGuard;
import io.gpudra.controller.dra.facts.PodUse;
import io.gpudra.controller.gpu.GpuDriver;
import io.gpudra.controller.lint.object.LintKind;
import io.gpudra.controller.lint.object.ObjectProblem;
import io.gpudra.controller.quota.QuotaBook;
import io.gpudra.controller.quota.QuotaLimit;
import io.gpudra.crds.api.quota.GpuQuotaSpec;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.NamespaceAudience;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Checks a quota against the classes and the claims of the texts. */
record QuotaCheck(ManifestClaimReader reader, List<LintObject> all) {
  private static final JsonMapper JSON = new JsonMapper();

  /** A quota is compared with no more claims. */
  private static final int MAX_CLAIMS = 1_000;

  private static final PodUse NO_POD = new PodUse(ImmutableList.of(), ImmutableList.of());

  ImmutableList<ObjectProblem> problems(LintObject quota) {
    return Stream.concat(classes(quota), claims(quota).stream())
        .collect(ImmutableList.toImmutableList());
  }

  private Stream<ObjectProblem> classes(LintObject quota) {
    ImmutableList<JsonNode> names = ImmutableList.copyOf(quota.part("spec.resourceClassNames"));
    return names.stream()
        .flatMap(
            name ->
                reader
                    .manifestObjects()
                    .find(LintKind.RESOURCE_CLASS, name.asText(), quota)
                    .map(found -> found.part("driverName").asText())
                    .filter(driver -> !driver.equals(reader.driver()))
                    .map(
                        driver ->
                            ObjectProblem.at(
                                "spec.resourceClassNames[%d]".formatted(names.indexOf(name)),
                                ofOther(name.asText(), driver)))
                    .stream());
  }

  private static String ofOther(String name, String driver) {
    return "Invalid value: \"%s\": a class of driver \"%s\", whose claims no GpuQuota counts"
        .formatted(name, driver);
  }

  /** The first claim that the quota never allows. */
  private Optional<ObjectProblem> claims(LintObject quota) {
    QuotaLimit limit = QuotaLimit.of(quota.name(), quota.name(), spec(quota));
    return all.stream()
        .filter(one -> one.kind() == LintKind.CLAIM || one.kind() == LintKind.TEMPLATE)
        .filter(one -> one.namespace().equals(quota.namespace()))
        .limit(MAX_CLAIMS)
        .flatMap(claim -> excess(limit, claim).stream())
        .findFirst();
  }

  private Optional<ObjectProblem> excess(QuotaLimit limit, LintObject claim) {
    ManifestClaim reading = reader.read(claim, new ClaimUid(claim.name()));
    return reading
        .pending(NO_POD)
        .map(pending -> GpuDriver.request(ImmutableList.of(pending)))
        .map(request -> book(limit, reading).before(request))
        .flatMap(
            before ->
                before instanceof CommitGuard.Before.Limited limited
                    ? Optional.of(limited.limit().why())
                    : Optional.empty())
        .map(
            why ->
                ObjectProblem.at(
                    "spec.hard",
                    "%s \"%s\" never gets its devices: %s"
                        .formatted(
                            claim.kindName(),
                            claim.name(),
                            why.text(NamespaceAudience.READER_OF_ALL))));
  }

  /** A namespace without claims that has this quota. */
  private static QuotaBook book(QuotaLimit limit, ManifestClaim reading) {
    QuotaBook book = new QuotaBook((ref, uid) -> Optional.of(reading.claim().className()));
    book.limits(reading.claim().ref().namespace(), ImmutableList.of(limit), ImmutableList.of());
    return book;
  }

  private static GpuQuotaSpec spec(LintObject quota) {
    try {
      return JSON.treeToValue(quota.part("spec"), GpuQuotaSpec.class);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("reading what was read before", e);
    }
  }
}
