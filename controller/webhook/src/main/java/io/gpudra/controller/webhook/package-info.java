/**
 * Admission: rejects objects that the controller would refuse, and adds the gate to pods. Start at
 * {@code AdmissionHandler}; {@code ClaimAdmission}, {@code ParametersAdmission} and {@code
 * InventoryAdmission} validate objects, {@code GateAdmission} changes pods, {@code webhook.server}
 * listens, {@code webhook.certificate} has the certificate.
 *
 * <p>What must stay true: the rules are those of {@code gpu}; only new objects and changed specs
 * are validated, so that deletion, deallocation and repair always work; a missing object is a
 * warning, since {@code kubectl apply} may create objects in any order; refusals due to other
 * objects are evaluated again after a moment, since caches may be behind. Each answer comes within
 * the API server's timeout.
 */
@NullMarked
package io.gpudra.controller.webhook;

import org.jspecify.annotations.NullMarked;
