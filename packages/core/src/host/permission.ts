import type { SignInParams } from "../contract/callbacks.js"
import { AuthError } from "../errors/auth-error.js"
import { AccessDenied } from "../errors/sign-in.js"
import { toError } from "../errors/to-error.js"
import type { HostCallbacks } from "./callbacks.js"

/** Asks the host's `signIn` callback whether somebody may come in. */
export interface Permission {
  /**
   * Null: yes. Text: not now, go there first.
   * @throws AccessDenied when the host refuses or its callback fails; an AuthError of the host is thrown on
   */
  ask(params: SignInParams): Promise<string | null>
}

export function createPermission({ signIn }: Pick<HostCallbacks, "signIn">): Permission {
  return {
    async ask(params) {
      const answer = await askHost(signIn, params)
      if (typeof answer === "string" && answer !== "") return answer
      // Hosts in plain JavaScript return whatever is true; whatever is not true refuses.
      if (answer) return null
      throw new AccessDenied("The signIn callback refused")
    },
  }
}

async function askHost(signIn: HostCallbacks["signIn"], params: SignInParams): Promise<boolean | string> {
  try {
    return await signIn(params)
  } catch (error) {
    if (error instanceof AuthError) throw error
    throw new AccessDenied(toError(error))
  }
}
