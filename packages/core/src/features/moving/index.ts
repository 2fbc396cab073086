// Imported as `@latchkey/core/moving`.
export { createSource } from "./create-source.js"
export type {
  FoundReading,
  FoundSession,
  ReaderVisit,
  Reading,
  SourceConcern,
  SourceOptions,
  SourceReader,
} from "./source.js"
