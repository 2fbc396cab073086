// Imported as `@latchkey/core/passwords`: hashes of passwords, and what the host's own code does with them.

export type { PasswordFault } from "@latchkey/types"
export { type Argon2idOptions, argon2id } from "./argon2id.js"
export {
  type BreachedList,
  type BreachFilterOptions,
  type BuiltFilter,
  buildBreachFilter,
  fileList,
} from "./breached.js"
export {
  bcrypt,
  betterAuth,
  type FirebaseScryptOptions,
  firebaseScrypt,
  pbkdf2,
  phpass,
  scrypt,
} from "./foreign-formats.js"
export { type PasswordFormat, PasswordFormatError, type PasswordHasher } from "./format.js"
export { importPassword, setPassword } from "./manage.js"
export { PasswordRefused } from "./text.js"
