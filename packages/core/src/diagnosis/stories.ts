import type { FailureFacts, FailureReason } from "../errors/failure-reason.js"
import { appStories } from "./app-stories.js"
import { flowStories } from "./flow-stories.js"
import { providerStories } from "./provider-stories.js"
import type { Story, TellStory } from "./story.js"

/** The story of each reason. A new reason does not compile without one. */
const stories: Readonly<Record<FailureReason, TellStory>> = { ...flowStories, ...providerStories, ...appStories }

/** All reasons, in the order of the guide. */
export const failureReasons: readonly FailureReason[] = Object.keys(stories).filter(isFailureReason)

/** Whether a text is one of the reasons that `logger.record` and the console write. */
export function isFailureReason(text: string): text is FailureReason {
  return Object.hasOwn(stories, text)
}

/**
 * What happened, and what to change, for an operator. Shows facts as they are: escape them where the log may be forged.
 * @param facts Those of the log record. Default: none, for a general story.
 */
export function tellStory(reason: FailureReason, facts: FailureFacts = {}): Story {
  return stories[reason](facts)
}

/** A story as a note on the error page of a developer. */
export function describeStory(
  reason: FailureReason,
  facts: FailureFacts,
): { readonly type: string; readonly message: string; readonly causes: readonly string[] } {
  const { sentences, fixes, guide } = tellStory(reason, facts)
  const [title, section] = guide
  const place = section === undefined ? "" : `, section "${section.replaceAll("`", "")}"`
  return { type: reason, message: sentences.join(" "), causes: [...fixes, `Guide: "${title}"${place}`] }
}
