/**
 * Leader election: start at {@link io.gpudra.controller.client.election.LeaderElection}. {@link
 * io.gpudra.controller.client.election.LeaseStore} is its port, and {@link
 * io.gpudra.controller.client.election.KubeLeaseStore} implements it on the API server.
 *
 * <p>What must stay true: no process leads for longer than its lease lasts, even without an answer
 * from the server; a process that cannot be sure ends. Client-java's elector guarantees neither
 * (defects 16 to 18 of client-java.md).
 */
@NullMarked
package io.gpudra.controller.client.election;

import org.jspecify.annotations.NullMarked;
