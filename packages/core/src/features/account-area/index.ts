// Imported as `@latchkey/core/account-area`: pages where users manage their own account, and the same for servers.
export type { ChangeFault } from "@latchkey/types"
export type { AddressedMail, Mailer } from "../../mail/own-sender.js"
export { type AccountAreaOptions, accountArea } from "./area.js"
export { deleteDueUsers } from "./delete-due-users.js"
export {
  type ChangeOptions,
  listPasskeys,
  listSignInMethods,
  removePasskey,
  renamePasskey,
  unlinkAccount,
  updateProfile,
} from "./manage.js"
export type { AccountSection, DeletionVeto, PictureStore, UserExport } from "./names.js"
export type { SignInMethodView } from "./own-sign-in-methods.js"
export type { PasskeyView } from "./passkeys.js"
export type { Profile } from "./profile.js"
export { ChangeRefused } from "./section.js"
export type { SignInMethods } from "./sign-in-methods.js"
