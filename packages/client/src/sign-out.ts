import { arrive } from "./arrive.js"
import type { SignInResponse } from "./completion.js"
import { type FormOptions, toForm } from "./form.js"
import type { Service } from "./service.js"
import type { SessionChanges } from "./session-changes.js"

/** `POST /signout`. */
export async function signOut(
  service: Service,
  changes: SessionChanges,
  options: FormOptions = {},
): Promise<SignInResponse | undefined> {
  const completion = await service.submit(service.address("signout"), await toForm(options, service))
  if (completion.response.error === undefined) changes.tell(options, null)
  return arrive(completion, options)
}
