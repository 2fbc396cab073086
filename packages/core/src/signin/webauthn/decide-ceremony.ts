import type { CeremonyAction } from "../../checks/challenge.js"
import type { Person } from "./person.js"

export interface Asked {
  /** Undefined: the service is to say. */
  readonly action: CeremonyAction | undefined
  readonly person: Person["kind"]
  readonly isSignUpEnabled: boolean
}

/**
 * Which ceremony may be held; null: none. An existing account gets a passkey from its owner alone, that is, while they
 * are signed in.
 */
export function decideCeremony({ action, person, isSignUpEnabled }: Asked): CeremonyAction | null {
  if (action === "authenticate") return "authenticate"
  const maySignUp = person === "new" && isSignUpEnabled
  if (action === "register") return person === "signed-in" || maySignUp ? "register" : null
  if (person === "signed-in") return null
  return maySignUp ? "register" : "authenticate"
}
