/**
 * One leads: start at {@link io.gpudra.controller.client.election.Election}. {@link
 * io.gpudra.controller.client.election.Leases} is its port, and {@link
 * io.gpudra.controller.client.election.KubeLeases} the API server behind that.
 *
 * <p>What must stay true: nobody leads longer than its lease lasts, whatever the server answers or
 * does not; who cannot be sure ends. Client-java's elector does neither (defects 16 to 18 of
 * client-java.md).
 */
@NullMarked
package io.gpudra.controller.client.election;

import org.jspecify.annotations.NullMarked;
