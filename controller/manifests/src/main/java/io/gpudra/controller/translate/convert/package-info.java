/**
 * From later versions and from device plugins to this driver's objects. Start at {@code
 * ManifestConversion}. {@code ConversionField} has the rows that are only read here.
 *
 * <p>What must stay true: what is converted passes the checks of this driver, or stays as a
 * comment.
 */
@NullMarked
package io.gpudra.controller.translate.convert;

import org.jspecify.annotations.NullMarked;
