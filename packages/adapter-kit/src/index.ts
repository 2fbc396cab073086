// Imported as `@latchkey/adapter-kit`.
export {
  type AdapterMethods,
  type AuthenticatorMethods,
  adapterMethods,
  type Housekeeping,
  type OptionalMethods,
  type Promised,
  type RecordMethods,
} from "./adapter-methods.js"
export { andThen } from "./and-then.js"
export {
  type CallOptions,
  callTransaction,
  createCaller,
  hasErrorCode,
  isMissingColumn,
  isMissingTable,
  isUniqueViolation,
  readTimeout,
  repeatConflicts,
  type TransactionCall,
} from "./database-calls.js"
export type { FeatureMethods } from "./feature-methods.js"
export {
  isDate,
  isStorableDate,
  parseIntegerKey,
  readBoolean,
  readField,
  readKey,
  toKeyText,
  toText,
} from "./field-values.js"
export { type FieldCodec, matchFields, type RecordField, RecordFields } from "./record-fields.js"
export {
  type FieldKind,
  type OptionalRecord,
  type Presence,
  type RecordModel,
  type RecordName,
  recordModels,
} from "./record-models.js"
export type { Key, Lifetime, RecordStore, RecordStores } from "./record-store.js"
export {
  type BatchLimits,
  inProcessBatches,
  type RowWalk,
  removeInBatches,
  serverBatches,
} from "./remove-in-batches.js"
export { type Catalog, findDatabaseDefects, type InspectedColumn, type InspectedTable } from "./store-defects.js"
