// Imported as `@latchkey/core/moving`.
export { createSource } from "./moving.js"
export { createTokenOpener, type TokenKey } from "./open-token.js"
export type {
  FoundReading,
  FoundSession,
  ReaderVisit,
  Reading,
  SourceConcern,
  SourceOptions,
  SourceReader,
} from "./source.js"
