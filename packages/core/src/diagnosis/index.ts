// Imported as `@latchkey/core/diagnosis`.
import type { FailureFacts, FailureReason } from "../errors/failure-reason.js"
import { appStories } from "./app-stories.js"
import { flowStories } from "./flow-stories.js"
import { providerStories } from "./provider-stories.js"
import type { Story, TellStory } from "./story.js"

export type { FailureFacts, FailureReason } from "../errors/failure-reason.js"
export type { Story } from "./story.js"

/** The story of every reason. A new reason does not compile without one. */
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
