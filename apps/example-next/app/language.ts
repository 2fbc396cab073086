import { headers } from "next/headers"

/** German for browsers that prefer it, as on the pages of the service. */
export async function findLanguage(): Promise<string> {
  const accepted = (await headers()).get("accept-language") ?? ""
  return /^de\b/i.test(accepted) ? "de" : "en"
}
