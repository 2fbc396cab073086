// The tables of the core, and the endpoints of its features, bundled from its sources because Node does not resolve `.js` to `.ts`.
import { join } from "node:path"
import { build } from "esbuild"
import { root } from "./pages.mjs"

const contents = `
  import { accountArea } from "./features/account-area/index.ts"
  import { providerLogout } from "./features/provider-logout/index.ts"
  import { nativeApps } from "./features/native-apps/index.ts"
  import Passwords from "./providers/passwords.ts"
  import { secondFactors, totp } from "./features/second-factors/index.ts"
  import { trackSessions } from "./features/tracked-sessions/index.ts"
  import { signInMethod } from "./types/basics.ts"
  export { ownCookies, resolveCookies } from "./http/own-cookies.ts"
  export { routes } from "./actions/routes.ts"
  export { errorPages } from "./errors/auth-error.ts"
  export { describeWarning } from "./log/warnings.ts"
  export { failureReasons, tellStory } from "./diagnosis/stories.ts"
  const features = [
    accountArea(),
    providerLogout({ backchannel: true, frontchannel: true }),
    nativeApps({ clients: [] }),
    secondFactors({ factors: [totp()] }),
    trackSessions(),
    Passwords({ mail: { send() {} } })[signInMethod].feature,
  ]
  export const featureRoutes = Object.assign({}, ...features.flatMap(({ routes, pages }) => [routes, pages]))`

export async function loadCore() {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: join(root, "packages", "core", "src"), loader: "ts" },
    absWorkingDir: root,
    bundle: true,
    format: "esm",
    platform: "node",
    jsx: "automatic",
    jsxImportSource: "preact",
    conditions: ["@latchkey/source"],
    write: false,
    logLevel: "silent",
  })
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`)
}
