package io.gpudra.controller.loop;

import io.gpudra.process.BackOff;
import java.time.Duration;

/**
 * How long the controller waits before it does something again, and when it stops waiting. Table
 * 7.6 of architecture.md lists them. Leases have options; connections, webhooks and caches have
 * limits of their own.
 */
public final class ControllerDelays {
  /** A call of the API server without an answer ends, unless a short lease needs it earlier. */
  public static final Duration API_CALL = Duration.ofSeconds(4);

  /** Work that an event requeues is requeued after this time anyway. */
  public static final Duration WITHOUT_EVENT = Duration.ofSeconds(30);

  /** The time for the scheduler to change a context that led to a claim just deallocated. */
  public static final Duration SETTLING = Duration.ofSeconds(1);

  /** Between two publications of unsuitable nodes for a pod, unless its selected node is one. */
  public static final Duration PUBLISH_GAP = Duration.ofSeconds(1);

  /** The scheduler's longest back-off for one pod. */
  public static final Duration SCHEDULER_BACK_OFF = Duration.ofSeconds(10);

  /** Without jitter: the order of retries under a manual clock is always the same. */
  public static final BackOff FAILED_PASS =
      new BackOff(Duration.ofMillis(5), Duration.ofMinutes(1));

  public static final BackOff REJECTED_WRITE =
      new BackOff(Duration.ofSeconds(2), Duration.ofMinutes(1));

  /** The gap between two polls of a waiter, unless many evaluate all nodes. */
  public static final Duration POLL = Duration.ofSeconds(30);

  /** Between polls of all nodes by one namespace; a poll takes 35 ms when 5,000 nodes changed. */
  public static final Duration NAMESPACE_POLL_GAP = Duration.ofMillis(100);

  /** Between such polls in all namespaces; a poll without changes takes half a millisecond. */
  public static final Duration POLL_GAP = Duration.ofMillis(20);

  /** The time in which devices that become free on one node wake a limited number of waiters. */
  public static final Duration WAKES_OF_A_NODE = Duration.ofSeconds(1);

  /** The time in which an event of a claim wakes a limited number of those that name it. */
  public static final Duration WAKES_OF_A_CLAIM = Duration.ofSeconds(1);

  /** A waiter that does not answer an offer within this time has declined it. */
  public static final Duration OFFER = Duration.ofSeconds(15);

  /**
   * A waiter at a limit that does not answer its turn within this time leaves it to the next one:
   * the scheduler backs off before it chooses a node.
   */
  public static final Duration LIMIT_TURN = Duration.ofSeconds(15);

  /** After searches of five seconds, during each of which others changed the nodes. */
  public static final Duration LOST_SEARCH = Duration.ofSeconds(2);

  /** Refused offers are remembered so long; then the oldest waiters are asked first again. */
  public static final Duration REFUSED_OFFERS = POLL;

  /** The scheduler's refusal of a pod with our grant must last so long: its view may be older. */
  public static final Duration MISJUDGED = Duration.ofSeconds(2);

  /** A node on which the scheduler found no room for a pod. */
  public static final Duration LEFT_OUT = Duration.ofSeconds(10);

  /** Between two lists of the members of a group of which some may have a node. */
  public static final Duration GROUP_LOOK = Duration.ofSeconds(5);

  /**
   * Before the first such list, since the members of a job are created one after the other; and
   * between two searches for a group, or two looks at one of many pods.
   */
  public static final Duration REGROUP = Duration.ofSeconds(1);

  /** Before a large group that cannot start is read again, for each entry for a claim. */
  public static final Duration GROUP_ENTRY = Duration.ofMillis(1);

  /** Between two such lists for groups of one namespace. */
  public static final Duration GROUP_LOOK_OF_NAMESPACE = Duration.ofMillis(500);

  /** Between two such lists for all groups. */
  public static final Duration GROUP_LOOK_GAP = Duration.ofMillis(50);

  /** Such a list may take so long; few workers serve all groups. */
  public static final Duration GROUP_LIST = Duration.ofSeconds(20);

  /** All searches of one pass over a group; a plan may take as long again. */
  public static final Duration GROUP_PASS = Duration.ofSeconds(10);

  /** A group waits while others of its namespace are searched. */
  public static final Duration GROUP_TURN = Duration.ofMillis(50);

  /** Between two groups of which one is asked for the nodes to keep: the search takes long. */
  public static final Duration GROUP_PLAN_GAP = Duration.ofSeconds(5);

  /**
   * A group that does not answer within this time leaves its turn to the next one; more than the
   * searches and the plan of a pass.
   */
  public static final Duration GROUP_PLAN = Duration.ofSeconds(30);

  /** Until a group that does not fit the empty cluster is asked again. */
  public static final Duration GROUP_REPLAN = Duration.ofSeconds(30);

  /** A group for which nodes are kept may have no plan for so long: a plugin restarts. */
  public static final Duration GROUP_ABSENCE = Duration.ofMinutes(1);

  /** Between two gates that are removed because no node fits: thousands may wait equally long. */
  public static final Duration GATE_LIFT_GAP = Duration.ofMillis(20);

  /** 10,000 new objects are written within nine minutes. */
  public static final Duration STATUS_WRITE_GAP = Duration.ofMillis(50);

  public static final Duration STATUS_ROUND = Duration.ofMinutes(1);

  /** While there are no nodes, the first one should show soon. */
  public static final Duration STATUS_ROUND_WITHOUT_NODES = Duration.ofSeconds(1);

  /** Shorter pauses are combined. */
  public static final Duration MIN_STATUS_PAUSE = Duration.ofMillis(10);

  public static final Duration MAX_STATUS_PAUSE = Duration.ofSeconds(30);

  /** Shorter rests are combined: after each, all objects of the namespace are evaluated again. */
  public static final Duration MIN_STATUS_NAMESPACE_PAUSE = Duration.ofSeconds(1);

  /** The status of a quota shows a change within a second. */
  public static final Duration QUOTA_ROUND = Duration.ofMillis(500);

  public static final Duration EVICTION_ROUND = Duration.ofSeconds(1);

  /** A disruption budget may allow the eviction at any moment. */
  public static final Duration BLOCKED_EVICTION = Duration.ofSeconds(10);

  public static final Duration FAILED_EVICTION = Duration.ofMinutes(1);

  public static final Duration TOLERATIONS = Duration.ofSeconds(10);

  public static final Duration HEARTBEAT_ROUND = Duration.ofSeconds(1);

  /** A stopped plugin is usually replaced within seconds; a rollout must not requeue all claims. */
  public static final Duration STOPPED_PLUGIN = Duration.ofSeconds(30);

  /** The count of nodes and devices takes 350 ms on 5,000 nodes. */
  public static final Duration COUNT_ROUND = Duration.ofSeconds(30);

  public static final Duration GPU_TIME_ROUND = Duration.ofSeconds(5);

  /** Devices that drain for longer are a finding. */
  public static final Duration MAX_DRAINING = Duration.ofMinutes(5);

  /** At the start, until the API server answers. */
  public static final Duration SERVER_RETRY = Duration.ofSeconds(1);

  public static final Duration SYNC_ROUND = Duration.ofMillis(50);

  public static final Duration FENCE_RETRY = Duration.ofMillis(500);

  /** Time limit for each thread and loop, within a pod's 30 s of grace. */
  public static final Duration STOP = Duration.ofSeconds(10);

  /** API servers learn a moment later that this replica is no longer ready. */
  public static final Duration STOP_OF_WEBHOOK = Duration.ofSeconds(5);

  /** Far more than the longest reconciliation, a batch of calls with their timeouts. */
  public static final Duration MAX_WORK = Duration.ofMinutes(2);

  /** A healthy watch is renewed within 10 minutes. */
  public static final Duration MAX_SILENCE = Duration.ofMinutes(15);

  private ControllerDelays() {}
}
