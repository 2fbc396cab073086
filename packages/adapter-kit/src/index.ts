// Imported as `@latchkey/adapter-kit`.
export {
  type AdapterMethods,
  type AuthenticatorMethods,
  adapterMethods,
  andThen,
  type Housekeeping,
  type Key,
  type OptionalMethods,
  type Promised,
  type RecordMethods,
  type RecordStore,
  type RecordStores,
} from "./adapter-methods.js"
export {
  type CallOptions,
  createCaller,
  defaultTimeoutMilliseconds,
  hasErrorCode,
  isUniqueViolation,
  repeatConflicts,
} from "./database-calls.js"
export { isDate, isStorableDate, parseIntegerKey, readBoolean, readField, toKeyText, toText } from "./field-values.js"
export { type FieldCodec, matchFields, type RecordField, RecordFields } from "./record-fields.js"
export { type FieldKind, type Presence, type RecordModel, type RecordName, recordModels } from "./record-models.js"
