/**
 * The API server made safe to talk to: lenient JSON, lists that stream, watches that resume, calls
 * that time out, an elector that halts. Knows nothing of DRA; each class names the defect of
 * client-java's own that it replaces (ecosystem.md 1.3).
 *
 * <p>Start at {@code Reflector}: it keeps an {@code ObjectCache} equal to the server. client-java's
 * informer is not used: its queue merges the changes of one object, so that a grant can be seen
 * before the release that made room for it, and it loses deletions that meet a new list (defect
 * 21). No lister-watcher mends either.
 *
 * <p>What must stay true: one bad object never stops the others; a cache never goes back; no unary
 * call outlives its timeout; nothing that was sent is sent again silently.
 */
@NullMarked
package io.gpudra.controller.client;

import org.jspecify.annotations.NullMarked;
