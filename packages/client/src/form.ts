import type { Service } from "./service.js"

/** Where a form leads, and whether the page is left. */
export interface FormOptions {
  /** Where to go afterwards. Default: the page that is open. */
  readonly redirectTo?: string
  /** The older name of `redirectTo`. */
  readonly callbackUrl?: string
  /** False: what came of it is returned, and the page stays. Default: true. */
  readonly redirect?: boolean
  /** Sent instead of one that is fetched. */
  readonly csrfToken?: string
}

const ownOptions: ReadonlySet<string> = new Set(["redirectTo", "callbackUrl", "redirect", "csrfToken"])

/** The form for the service, with a csrf token where one is asked for. What a form cannot hold is left out. */
export async function toForm(
  options: FormOptions,
  service: Pick<Service, "requestCsrfToken">,
): Promise<URLSearchParams> {
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(options)) {
    if (!ownOptions.has(name) && isFormValue(value)) form.append(name, String(value))
  }
  const callbackUrl = findCallbackUrl(options)
  if (callbackUrl !== undefined) form.set("callbackUrl", callbackUrl)
  const csrfToken = options.csrfToken ?? (await service.requestCsrfToken())
  if (csrfToken !== undefined) form.set("csrfToken", csrfToken)
  return form
}

/** Undefined where there is no page. */
export function findCallbackUrl({ redirectTo, callbackUrl }: FormOptions): string | undefined {
  return redirectTo ?? callbackUrl ?? globalThis.location?.href
}

function isFormValue(value: unknown): value is string | number | boolean {
  return ["string", "number", "boolean"].includes(typeof value)
}
