/**
 * The API server made safe to talk to: lenient JSON, lists that stream, watches that resume, calls
 * that time out, an elector that halts. Knows nothing of DRA; each class names the defect of
 * client-java's own that it replaces (ecosystem.md 1.3).
 *
 * <p>Start at {@code Reflector}: it keeps an {@code ObjectCache} equal to the server. client-java's
 * informer is not used: its queue loses deletions that meet a new list (defect 21), which no
 * lister-watcher can mend.
 *
 * <p>What must stay true: one bad object never stops the others; a cache never goes back; no unary
 * call outlives its timeout; nothing that was sent is sent again silently.
 */
@NullMarked
package io.gpudra.controller.client;

import org.jspecify.annotations.NullMarked;
