/**
 * Validating admission: what the controller would refuse to serve is refused when it is written.
 * Start at {@code Admission}; {@code ClaimAdmission}, {@code ParametersAdmission} and {@code
 * InventoryAdmission} judge, {@code webhook.server} listens, {@code webhook.certificate} has what
 * it shows.
 *
 * <p>What must stay true: there is no rule here about what may be asked for, all of them are those
 * of {@code gpu}; only what is new or has another spec is judged, so that nobody is kept from
 * ending, releasing or repairing anything; what is not there yet is a warning, since {@code kubectl
 * apply} may write in any order; what other objects are to blame for is judged again after a
 * moment, since the caches may be behind them. No answer takes longer than the server waits.
 */
@NullMarked
package io.gpudra.controller.webhook;

import org.jspecify.annotations.NullMarked;
