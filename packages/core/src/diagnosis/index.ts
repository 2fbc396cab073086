// Imported as `@latchkey/core/diagnosis`.
export type { FailureFacts, FailureReason } from "../errors/failure-reason.js"
export { normalizeEmailAddress } from "../host/email-address.js"
export { askProvider, type ProviderVerdict } from "../oauth/ask-provider.js"
export { type Examination, type Examined, type ExaminedConfig, examine } from "./examine.js"
export { failureReasons, findReasonOfType, isFailureReason, isGeneralReason, tellStory } from "./stories.js"
export type { Story } from "./story.js"
