/** CDI specs: a pure builder and an atomic directory. */
@NullMarked
package io.gpudra.kubeletplugin.cdi;

import org.jspecify.annotations.NullMarked;
