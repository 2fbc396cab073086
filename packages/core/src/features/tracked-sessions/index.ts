// Imported as `@latchkey/core/sessions`: sessions that users can see and end.

export type { FreshnessRequirement } from "../../account/session-proofs.js"
export { requireFresh } from "../../require-fresh.js"
export type { SessionView } from "../../session/own-sessions.js"
export type { DeviceCallback, DeviceDescription } from "../../session/tracking.js"
export type { SessionLimit } from "../../types/adapter-features.js"
export type { AuthLevel, SessionAuth } from "../../types/callbacks.js"
export type { FreshSession, RequireFreshOptions } from "../functions.js"
export { endOtherSessions, endSession, listSessions, signOutEverywhere } from "./manage.js"
export { type TrackSessionsOptions, trackSessions } from "./track-sessions.js"
