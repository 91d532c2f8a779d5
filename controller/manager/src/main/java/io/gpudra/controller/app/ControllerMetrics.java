package io.gpudra.controller.app;

import com.google.common.collect.ImmutableList;
import io.gpudra.process.MetricNames;
import io.gpudra.process.MetricNames.Rule;

/** Names of the controller's metrics in Prometheus. */
final class ControllerMetrics {

  static final MetricNames NAMES =
      new MetricNames(
          ImmutableList.of(
              Rule.of("api.calls.*.*", "gpudra_api_calls", "method,code"),
              Rule.of("api.time.*", "gpudra_api_call_seconds", "method"),
              Rule.of("driver.refused.*", "gpudra_refusals", "reason"),
              Rule.of("watch.*.*", "gpudra_watch", "event,resource"),
              Rule.of("loop.*.depth", "gpudra_loop_depth", "loop"),
              Rule.of("loop.*.delayed", "gpudra_loop_delayed", "loop"),
              Rule.of("loop.*.failing", "gpudra_loop_failing", "loop"),
              Rule.of("loop.*.oldestRunningSeconds", "gpudra_loop_oldest_running_seconds", "loop"),
              Rule.of("loop.*.latency", "gpudra_loop_latency_seconds", "loop"),
              Rule.of("loop.*.busy", "gpudra_loop_busy", "loop"),
              Rule.of("loop.*.workers", "gpudra_loop_workers", "loop"),
              Rule.of("loop.*.*", "gpudra_loop_outcomes", "loop,outcome"),
              Rule.of("events.*", "gpudra_events", "outcome"),
              Rule.of("alerts.*", "gpudra_alerts", "kind"),
              Rule.of("evictions.*", "gpudra_evictions", "outcome"),
              Rule.of("gates.*", "gpudra_gates", "outcome"),
              Rule.of("gated.pods", "gpudra_gated_pods", ""),
              Rule.of("webhook.*", "gpudra_webhook_reviews", "outcome"),
              Rule.of("findings.*", "gpudra_findings", "kind"),
              Rule.of("entries.*", "gpudra_entries", "of"),
              Rule.of("gpus", "gpudra_gpus", ""),
              Rule.of("gpus.held", "gpudra_gpus_held", ""),
              Rule.of("gpu.seconds", "gpudra_gpu_seconds", ""),
              Rule.of("claims.waiting", "gpudra_claims_waiting", ""),
              Rule.of("quota.used", "gpudra_quota_used", ""),
              Rule.of("quota.hard", "gpudra_quota_hard", ""),
              Rule.of("quota.waiting", "gpudra_quota_waiting_claims", ""),
              Rule.of("grant.wait.*.*.**", "gpudra_grant_wait_seconds", "mode,namespace,class"),
              Rule.of("group.wait.*", "gpudra_group_wait_seconds", "size"),
              Rule.of("groups.waiting.*", "gpudra_groups_waiting", "size"),
              Rule.of("group.hold", "gpudra_group_hold", ""),
              Rule.of("release", "gpudra_release_seconds", ""),
              Rule.of("nodes.*", "gpudra_nodes", "state"),
              Rule.of("election.leading", "gpudra_leading", ""),
              Rule.of("election.failures", "gpudra_election_failures", "")));

  private ControllerMetrics() {}
}
