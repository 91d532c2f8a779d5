/**
 * Translates conditions between this driver and {@code resource.k8s.io/v1}. Start at {@code
 * V1ConditionWriter} for one direction and {@code V1ConditionReader} for the other. Both change
 * trees and print them; only {@code CelText} knows the parser and the printer.
 */
@NullMarked
package io.gpudra.controller.translate.cel;

import org.jspecify.annotations.NullMarked;
