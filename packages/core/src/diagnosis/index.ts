// Imported as `@latchkey/core/diagnosis`.
export type { FailureFacts, FailureReason } from "../errors/failure-reason.js"
export { failureReasons, isFailureReason, tellStory } from "./stories.js"
export type { Story } from "./story.js"
