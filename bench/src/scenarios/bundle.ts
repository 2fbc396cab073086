import { type BundleConditions, type BundleSizes, buildBundle, lazyParts } from "../bundle/build-bundle.ts"
import type { Report, Verdict } from "../report/report.ts"
import { atMost } from "../report/verdict.ts"
import type { Measurement } from "../scenario.ts"

const contract = (library: string) => `
  import { Auth } from "${library}"
  import GitHub from "${library}/providers/github"
  export default (request) => Auth(request, { providers: [GitHub] })`

/** A host with one provider; iron-session has none. */
const entries = {
  latchkey: contract("@latchkey/core"),
  "auth-core": contract("@auth/core"),
  "better-auth": `
    import { betterAuth } from "better-auth"
    export default betterAuth({ socialProviders: { github: { clientId: "a", clientSecret: "b" } } }).handler`,
  "iron-session": `export { getIronSession } from "iron-session"`,
} as const

const goalBytes = 28_000

export const bundle: Measurement = {
  kind: "measurement",
  id: "bundle",
  title: "Bundle with one provider, minified and gzipped",
  async measure() {
    const sizes = []
    for (const conditions of ["edge", "node"] as const) {
      for (const [name, entry] of Object.entries(entries)) {
        sizes.push({ name, conditions, sizes: await buildBundle(entry, conditions) })
      }
    }
    return toReport(sizes)
  },
}

interface MeasuredBundle {
  readonly name: string
  readonly conditions: BundleConditions
  readonly sizes: BundleSizes
}

function toReport(bundles: readonly MeasuredBundle[]): Report {
  return {
    id: bundle.id,
    title: bundle.title,
    columns: ["kB", "whole, in one file", "eager", ...lazyParts.map((part) => `lazy: ${part}`)],
    rows: bundles.map(({ name, conditions, sizes }) => [
      `${name}, ${conditions}`,
      ...[sizes.whole, sizes.eager, ...lazyParts.map((part) => sizes.lazy[part])].map(toKilobytes),
    ]),
    verdicts: bundles.filter(({ name }) => name === "latchkey").flatMap(toVerdicts),
    notes: [
      "Whole: everything that could ever be loaded, in one file. Eager: what is loaded before the first request. Lazy: by what it is for, the files of a part compressed together; other is what several parts share, and credentials.",
      "nodemailer and @simplewebauthn are the host's and not counted. iron-session has sessions alone, no sign-in.",
    ],
  }
}

/**
 * What an app pays before its first request. What a sign-in, a page, a mail or a passkey needs comes when one is asked
 * for.
 */
function toVerdicts({ conditions, sizes }: MeasuredBundle): readonly Verdict[] {
  const goal = `under 28 kB loaded before the first request, ${conditions}`
  return [atMost(goalBytes, sizes.eager, { goal, measured: `${toKilobytes(sizes.eager)} kB` })]
}

function toKilobytes(bytes: number): string {
  return (bytes / 1000).toFixed(1)
}
