import { SvelteKitAuth } from "@latchkey/sveltekit"

const create = () => SvelteKitAuth(({ platform }) => platform?.config ?? { providers: [] })

const tested = create()
/** The package reads the environment once, and tests run the app in several modes. */
const modes: Readonly<Record<string, typeof tested>> = {
  test: tested,
  development: create(),
  production: create(),
  none: create(),
}
const current = () => modes[globalThis.process.env["NODE_ENV"] ?? "none"] ?? tested

export const handle: typeof tested.handle = (input) => current().handle(input)
export const { signIn, signOut } = tested
