// Imported as `@latchkey/core/passwords`: password hashes, and functions for the app's own code.

export type { PasswordFault } from "@latchkey/types"
export { type Argon2idOptions, argon2id } from "../../methods/password/argon2id.js"
export {
  type BreachedList,
  type BreachFilterOptions,
  type BuiltFilter,
  buildBreachFilter,
  fileList,
} from "../../methods/password/breached.js"
export {
  bcrypt,
  betterAuth,
  type FirebaseScryptOptions,
  firebaseScrypt,
  lucia,
  type PassportLocalMongooseOptions,
  passportLocalMongoose,
  pbkdf2,
  phpass,
  scrypt,
} from "../../methods/password/foreign-formats.js"
export { type PasswordFormat, PasswordFormatError, type PasswordHasher } from "../../methods/password/format.js"
export { PasswordRefused } from "../../methods/password/text.js"
export { importPassword, setPassword } from "./manage.js"
