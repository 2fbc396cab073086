import { deleteSection } from "./delete.js"
import { emailSection } from "./email.js"
import { exportSection } from "./export.js"
import { factorsSection } from "./factors.js"
import { passkeysSection } from "./passkeys.js"
import { passwordSection } from "./password.js"
import { profileSection } from "./profile.js"
import type { Section } from "./section.js"
import { sessionsSection } from "./sessions.js"
import { signInMethodsSection } from "./sign-in-methods.js"

/** Every section, in the order of the overview. */
export const sections: readonly Section[] = [
  profileSection,
  emailSection,
  signInMethodsSection,
  passkeysSection,
  factorsSection,
  passwordSection,
  sessionsSection,
  exportSection,
  deleteSection,
]
