import type { AuthRequest } from "../http/request.js"
import type { Awaitable } from "../types/basics.js"
import type { Speech } from "../words/speech.js"

/** What is known of a request that could not be read completely. */
export type SpokenTo = Pick<AuthRequest, "url" | "headers">

/** Finds the sentences of a request. Undefined without the option `languages`: English. */
export type FindSpeech = (request: SpokenTo) => Awaitable<Speech | undefined>

/** The part of `languages` that finds the sentences of a request. */
export interface SpeechFinder {
  /**
   * Never fails: a visitor would see no page.
   * @param report Gets the errors of the host's own functions.
   */
  findSpeech(request: SpokenTo, report: (error: Error) => void): Awaitable<Speech>
}
